package push

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// An event is an increase of a series at a time.
type event struct {
	at    time.Time
	value float64
}

// A recorded series is a counter or histogram with all of its events.
type recorded struct {
	histogram bool
	undated   float64
	hidden    bool
	events    []event
}

// A record is a source whose series remember when they grew, with a clock.
type record struct {
	mu     sync.Mutex
	now    time.Time
	series map[string]*recorded
	off    bool // no history is known
	absent bool // nothing may be sent

	gathers int
	unready int // the number of further calls without a history
}

func newRecord(start time.Time) *record {
	return &record{now: start, series: make(map[string]*recorded)}
}

func (r *record) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// change changes the record under its lock.
func (r *record) change(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
}

// wait moves the clock, and then a series grows.
func (r *record) wait(d time.Duration, name string, value float64) {
	r.change(func() {
		r.now = r.now.Add(d)
		r.grow(name, r.now, value)
	})
}

// grow records an event at a time.
func (r *record) grow(name string, at time.Time, value float64) {
	if r.series[name] == nil {
		r.series[name] = new(recorded)
	}
	s := r.series[name]
	s.events = append(s.events, event{at, value})
}

// truth returns the value of a series at a time.
func (s *recorded) truth(at time.Time) float64 {
	v := s.undated
	for _, e := range s.events {
		if e.at.Before(at) {
			v += e.value
		}
	}
	return v
}

// totals are the value of a counter, or the count and the sum of a histogram.
type totals struct{ Value, Sum float64 }

// totals returns the value, or the count and the sum, at a time.
func (s *recorded) totals(at time.Time) totals {
	if !s.histogram {
		return totals{Value: s.truth(at)}
	}
	n := 0.
	for _, e := range s.events {
		if e.at.Before(at) {
			n++
		}
	}
	return totals{n, s.truth(at)}
}

func (r *record) family(name string) (*dto.MetricFamily, *dto.Metric) {
	kind := dto.MetricType_COUNTER
	if r.series[name].histogram {
		kind = dto.MetricType_HISTOGRAM
	}
	return &dto.MetricFamily{Name: &name, Help: new("Help."), Type: &kind},
		&dto.Metric{Label: []*dto.LabelPair{{Name: new("l"), Value: new("v")}}}
}

// Gather implements prometheus.TransactionalGatherer.
func (r *record) Gather() (all []*dto.MetricFamily, done func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gathers++
	if r.absent {
		return nil, func() {}, nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.series)) {
		f, m := r.family(name)
		s := r.series[name]
		current := s.totals(r.now.Add(time.Millisecond))
		if s.hidden {
			current = totals{}
		}
		if s.histogram {
			m.Histogram = &dto.Histogram{SampleCount: new(uint64(current.Value)), SampleSum: new(current.Sum)}
		} else {
			m.Counter = &dto.Counter{Value: new(current.Value)}
		}
		f.Metric = append(f.Metric, m)
		all = append(all, f)
	}
	return all, func() {}, nil
}

// History implements Options.History.
func (r *record) History(since, now int64) (grown []*Past, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unready > 0 {
		r.unready--
		return nil, false
	}
	if r.absent || r.off {
		return nil, !r.absent
	}
	for _, name := range slices.Sorted(maps.Keys(r.series)) {
		for suffix, part := range r.series[name].parts() {
			p := r.past(name, part, time.UnixMilli(since), time.UnixMilli(now))
			if p != nil {
				p.Name += suffix
				grown = append(grown, p)
			}
		}
	}
	return grown, true
}

// past returns the past of a time series, nil if it has not grown since then.
func (r *record) past(name string, part func(totals) float64, since, now time.Time) *Past {
	s := r.series[name]
	at := func(t time.Time) float64 { return part(s.totals(t)) }
	begin := since.Truncate(intervalLength)
	for at(begin) == at(begin.Add(intervalLength)) {
		if begin = begin.Add(intervalLength); begin.After(r.now) {
			return nil
		}
	}
	before := at(begin)
	var all []sample
	for t := since.Truncate(intervalLength).Add(intervalLength); t.Add(time.Millisecond).Before(now); t = t.Add(intervalLength) {
		if (before > 0 || !t.Before(begin)) && !s.hidden {
			all = append(all, sample{at(t), t.UnixMilli()}, sample{at(t), t.UnixMilli() + 1})
		}
	}
	p := testPast(name, map[string]string{"l": "v"}, all...)
	p.Family, _ = r.family(name)
	p.Created, p.Hidden, p.Begin = s.events[0].at.UnixMilli(), s.hidden, begin.UnixMilli()
	p.Before, p.Last = before, at(r.now.Add(time.Millisecond))
	return p
}

// parts returns the numbers of a series, by the suffix of its name.
func (s *recorded) parts() map[string]func(totals) float64 {
	value := func(l totals) float64 { return l.Value }
	if !s.histogram {
		return map[string]func(totals) float64{"": value}
	}
	return map[string]func(totals) float64{"_count": value, "_sum": func(l totals) float64 { return l.Sum }}
}

// A memory is a storage.
type memory struct {
	mu     sync.Mutex
	b      []byte
	writes int
	err    error // of further writes
}

func (m *memory) LoadEndpoints() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.b, nil
}

func (m *memory) SaveEndpoints(b []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	m.b = b
	m.writes++
	return nil
}

// start begins at a time within an interval.
var start = time.Date(2026, 1, 5, 12, 2, 0, 0, time.UTC)

// A historyTest is a pusher of a record.
type historyTest struct {
	*pushTest
	record *record
	memory *memory
}

func newHistoryTest(t testing.TB) *historyTest {
	c := &historyTest{record: newRecord(start), memory: new(memory)}
	c.pushTest = &pushTest{TB: t}
	c.renew()
	return c
}

func (c *historyTest) renew() {
	c.pushTest = newPushTest(c.TB)
	o := &c.pusher.Options
	o.Source, o.History, o.Storage, o.Now = c.record, c.record.History, c.memory, c.record.Now
}

// startAgain starts a new pusher, as a new process would.
func (c *historyTest) startAgain(all ...Endpoint) {
	c.Helper()
	c.renew()
	c.start(all...)
}

// check checks that a server has the value of a series at the end of each interval
// between two times, that it never falls, and that the last value is the present value.
func (c *historyTest) check(r *receiver, name string, from, to time.Time) {
	c.Helper()
	s := c.record.series[name]
	for suffix, part := range s.parts() {
		key := name + suffix + ",l=v"
		c.neverFalls(r, key)
		if got, want := r.last(key), part(s.totals(c.record.Now().Add(time.Millisecond))); got != want {
			c.Errorf("%s: got %v in the end, want %v", key, got, want)
		}
		for end := from.Truncate(intervalLength).Add(intervalLength); !end.After(to); end = end.Add(intervalLength) {
			want := part(s.totals(end)) - part(s.totals(end.Add(-intervalLength)))
			if got := r.increase(key, end); got != want && !end.Add(-intervalLength).Before(from) {
				c.Errorf("%s: got an increase of %v until %v, want %v", key, got, end, want)
			}
			if got, want := r.valueAt(key, end), part(s.totals(end)); got != want && want != 0 {
				c.Errorf("%s: got %v at %v, want %v", key, got, end, want)
			}
		}
	}
}

// neverFalls checks that the values of a series never fall.
func (c *historyTest) neverFalls(r *receiver, key string) {
	c.Helper()
	if values := r.live(key); !slices.IsSorted(values) {
		c.Errorf("%s: got %v, which falls", key, values)
	}
}

// increase returns the difference between the last and the first sample in the five
// minutes that end at a time, without their beginning: the increase that servers
// compute. 0 if there are less than two samples.
func (r *receiver) increase(key string, end time.Time) float64 {
	var all []float64
	for _, s := range r.samples(key) {
		if s.at > end.Add(-intervalLength).UnixMilli() && s.at <= end.UnixMilli() {
			all = append(all, s.value)
		}
	}
	if len(all) < 2 {
		return 0
	}
	return all[len(all)-1] - all[0]
}

// historySamples returns the number of a server's samples that are not present values.
func (r *receiver) historySamples() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, all := range r.series {
		for _, s := range all {
			if ms := s.at % intervalLength.Milliseconds(); ms <= 1 {
				n++
			}
		}
	}
	return n
}

// valueAt returns the last value of a series until a time, 0 without a value.
func (r *receiver) valueAt(key string, at time.Time) (v float64) {
	for _, s := range r.samples(key) {
		if s.at <= at.UnixMilli() && !s.stale() {
			v = s.value
		}
	}
	return v
}

func (r *receiver) samples(key string) []storedSample {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.series[key])
}

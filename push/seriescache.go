package push

import (
	"cmp"
	"math"
	"slices"

	dto "github.com/prometheus/client_model/go"
)

// A series is the state of one time series at one server, kept between pushes.
type series struct {
	labels  labels
	help    string
	kind    dto.MetricType
	value   float64 // to send next
	created int64   // milliseconds since the epoch, 0 if unknown

	samples []sample // of the next request, in order

	accepted   float64 // the last value that the server has accepted
	newest     int64   // the time of the accepted value, in milliseconds since the epoch
	cycle      uint64  // the cycle of its last gathering
	cumulative bool
	started    bool // the server has its initial zero, or needs no zero
	known      bool // the server has a sample of it, and no later staleness marker
}

// A sample is a value at a time, in milliseconds since the epoch.
type sample struct {
	value float64
	at    int64
}

// staleMarker is Prometheus's staleness marker, a NaN.
var staleMarker = math.Float64frombits(0x7ff0000000000002)

// ended reports whether a staleness marker is to be sent.
func (s *series) ended() bool { return math.Float64bits(s.value) == math.Float64bits(staleMarker) }

// start returns the start timestamp of the next samples, 0 for none. A staleness marker
// has no start, and a start that is not before the first sample is omitted.
func (s *series) start() int64 {
	if s.ended() || s.created >= s.samples[0].at {
		return 0
	}
	return s.created
}

// A seriesCache tracks the series that a server has.
type seriesCache struct {
	external  map[string]string // labels of every series
	flattener flattener
	series    map[string]*series // by labels
	cycle     uint64             // number of the current push
	pending   []*series          // to send in this cycle, in the order of gathering
	zeros     int                // number of pending series that are sent as an initial zero
}

func newSeriesCache(external map[string]string) *seriesCache {
	c := &seriesCache{external: external, series: make(map[string]*series)}
	c.flattener = flattener{external: sortedLabels(external), add: c.add}
	return c
}

// update makes gathered families pending, and ends series that are missing in them.
// Incomplete families end no series.
func (c *seriesCache) update(families []*dto.MetricFamily, complete bool) {
	c.cycle++
	c.pending, c.zeros = c.pending[:0], 0
	for _, f := range families {
		c.flattener.family(f)
	}
	if complete {
		c.end(func(s *series) bool { return s.cycle != c.cycle })
	}
}

func (c *seriesCache) endAll() {
	c.pending, c.zeros = c.pending[:0], 0
	c.end(func(*series) bool { return true })
}

// end ends the selected series. It drops series that the server does not know, except
// for started counters: if a started counter returns, an initial zero would look like a
// reset.
func (c *seriesCache) end(selected func(*series) bool) {
	before := len(c.pending)
	for key, s := range c.series {
		switch {
		case !selected(s):
		case s.known:
			s.value = staleMarker
			c.pending = append(c.pending, s)
		case !s.cumulative || !s.started:
			delete(c.series, key)
		}
	}
	slices.SortFunc(c.pending[before:], func(s, t *series) int { return cmp.Compare(s.labels, t.labels) })
}

// add makes one gathered value pending.
func (c *seriesCache) add(l []byte, f *dto.MetricFamily, p point) {
	s, created := c.find(l, f)
	if s.cycle == c.cycle {
		return // a server would refuse the whole request for a duplicate
	}
	s.cycle, s.value, s.created, s.cumulative = c.cycle, p.value, p.created, p.cumulative
	// A previous process may have sent a series that is not zero in the first cycle.
	// Then an initial zero would look like a counter reset.
	s.started = s.started || !p.cumulative || created && c.cycle == 1 && p.value != 0
	if !s.started {
		s.value = 0
		c.zeros++
	}
	c.pending = append(c.pending, s)
}

// replays returns the replays of the series of a past that the server has only in part.
//
// After a start the cache does not know which series the server has. The server has the
// series that grew before the time from, and may have series that grew in the same
// interval: an initial zero would look like a counter reset. It has no value of a
// hidden series.
func (c *seriesCache) replays(past []*Past, from int64) (all []*replay) {
	for _, p := range past {
		s, created := c.find([]byte(p.labels(c.external)), p.Family)
		s.cumulative, s.created = true, p.Created
		if created && c.cycle == 0 {
			s.started = !p.Hidden && (p.Before > 0 || p.Begin < from)
		}
		if s.known && s.accepted == p.Last {
			continue
		}
		r := &replay{series: s, past: p}
		if !s.started && (p.Before > 0 || p.Begin <= from) {
			r.zero = from + 1
		}
		all = append(all, r)
	}
	return all
}

// find returns the series with the given labels, and whether it was created.
func (c *seriesCache) find(l []byte, f *dto.MetricFamily) (s *series, created bool) {
	s = c.series[string(l)]
	if s == nil {
		s, created = &series{labels: labels(l), help: f.GetHelp(), kind: f.GetType()}, true
		c.series[string(s.labels)] = s
	}
	return s, created
}

// acknowledge records that the server has accepted samples.
func (c *seriesCache) acknowledge(sent []*series) {
	for _, s := range sent {
		s.started, s.known, s.accepted = true, !s.ended(), s.value
		for _, sample := range s.samples {
			s.newest = sample.at
		}
	}
}

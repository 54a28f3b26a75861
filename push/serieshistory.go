package push

import (
	dto "github.com/prometheus/client_model/go"
)

// A SeriesHistory is when a counter grew, or the count and the sum of a histogram.
type SeriesHistory struct {
	Family *dto.MetricFamily // with name, help and type
	Metric *dto.Metric       // with labels
	// Created is the created timestamp in milliseconds since the epoch, 0 if unknown.
	Created int64
	// Hidden series are gathered as 0 at present, and later with their values.
	Hidden    bool
	Before    Totals     // before the first interval
	Intervals []Interval // at least one, in order
}

// Totals are the value of a counter, or the count and the sum of a histogram.
type Totals struct{ Value, Sum float64 }

// An Interval is a time in which a series grew, with its totals at the end. Start and
// End are multiples of five minutes, in milliseconds since the epoch.
type Interval struct {
	Start, End int64
	Totals
}

// A replay sends the history of one time series to a server.
type replay struct {
	*series
	history *SeriesHistory
	part    func(Totals) float64
	from    int64 // when the server may have a sample of it
	next    int   // first interval that ends later than the last sample
}

// replays returns the replays of the time series of which the server lacks something.
// They begin at the time from, when the server may have a sample of them.
func (c *seriesCache) replays(grown []SeriesHistory, from int64) []*replay {
	var all []*replay
	for i := range grown {
		history := &grown[i]
		add := func(suffix string, part func(Totals) float64) {
			t := flattener{external: c.flattener.external, add: func(l []byte, f *dto.MetricFamily, _ point) {
				s := c.begin(l, f, history, from)
				if !s.known || s.accepted != part(history.Intervals[len(history.Intervals)-1].Totals) {
					all = append(all, &replay{series: s, history: history, part: part, from: from})
				}
			}}
			t.one(history.Family, history.Metric, suffix, point{})
		}
		value := func(t Totals) float64 { return t.Value }
		if history.Family.GetType() != dto.MetricType_HISTOGRAM {
			add("", value)
			continue
		}
		add("_sum", func(t Totals) float64 { return t.Sum })
		add("_count", value)
	}
	return all
}

// begin returns the series of a history. After a start it is not known which series the
// server has. It has those that grew before the time from, and may have those that
// grew in the same interval: an initial zero would look like a counter reset. It has
// no value of a hidden series.
func (c *seriesCache) begin(l []byte, f *dto.MetricFamily, of *SeriesHistory, from int64) *series {
	s, created := c.find(l, f)
	s.cumulative, s.created = true, of.Created
	if created && c.cycle == 0 {
		s.started = !of.Hidden && (of.Before.Value > 0 || of.Intervals[0].Start < from)
	}
	return s
}

// beginAt sets the initial zero of a series whose first interval has begun at a time,
// and reports whether it has one.
func (r *replay) beginAt(when int64) bool {
	if r.started || r.history.Intervals[0].Start > when {
		return false
	}
	r.value, r.samples = 0, append(r.samples[:0], sample{0, when + 1})
	return true
}

// at sets the samples of the series for a time at which an interval ends, and reports
// whether there are any. The times of calls increase.
//
// There are two samples, since the ranges of queries do not include their beginning:
// the first one ends an interval, and the second one begins the next. A series that the
// server does not have begins at zero, when its first interval begins.
func (r *replay) at(when int64) bool {
	if when < r.newest || !r.started && when < r.history.Intervals[0].Start {
		return false
	}
	value, ok := r.valueAt(when)
	if !ok {
		return false
	}
	r.value = value
	first := value
	if !r.started {
		first = 0
	}
	r.samples = append(r.samples[:0], sample{first, when}, sample{value, when + 1})
	return true
}

// valueAt returns the value of the series at a time. In the interval in which the
// replay begins, that is the value that the server has: it may include a part of the
// increase. After a start the value is not known until the end of the interval.
func (r *replay) valueAt(when int64) (value float64, ok bool) {
	intervals := r.history.Intervals
	for r.next < len(intervals) && intervals[r.next].End <= when {
		r.next++
	}
	if r.next > 0 {
		return r.part(intervals[r.next-1].Totals), true
	}
	value = r.part(r.history.Before)
	switch {
	case intervals[0].Start >= r.from || !r.started:
		return value, true
	case r.known:
		return max(value, r.accepted), true
	default:
		return 0, false
	}
}

package backfill

import (
	"cmp"
	"math"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// A period is the time of all samples, in milliseconds since the epoch.
type period struct {
	since, until, step int64 // since is negative if there is no limit
	last               int64 // the end of the last increase
	idle               int64 // how long a value is repeated; 0 for always
	pairs              int64 // times that are multiples of it have two samples
	scraped            bool  // some of it is after the first possible scrape
}

// A curve is a series over time. Its samples are at multiples of the step, and at the
// end of the period.
type curve struct {
	time       int64               // of the next sample
	value, sum uint64              // of the sample before
	grown      int64               // time of the sample that was the last with another value
	increases  []counters.Increase // after that, up to the end of the period
}

// newCurve returns the curve of a series in a period. ok is false if it has no samples:
// then it begins later, or with live scrapes.
func newCurve(s *api.HistorySeries, p period) (c curve, ok bool) {
	c.increases = withoutLate(s.Increases, s.Late)
	for n := range c.increases {
		if c.increases[n].End > p.last {
			c.increases = c.increases[:n]
			break
		}
	}
	if s.Hidden || len(c.increases) == 0 {
		return c, false
	}
	if p.scraped { // otherwise undated increases came later
		c.value, c.sum = s.Base, s.BaseSum
	}
	start := c.increases[0].Start
	if start < p.since {
		start = p.since + p.step - 1
	}
	c.time = min(start-start%p.step, p.until)
	c.grown = c.time
	return c, true
}

// withoutLate subtracts late increases from the increases in the same intervals. Both
// are in order.
func withoutLate(all, late []counters.Increase) []counters.Increase {
	if len(late) == 0 {
		return all
	}
	rest := make([]counters.Increase, 0, len(all))
	for _, i := range all {
		for len(late) > 0 && late[0].Start < i.Start {
			late = late[1:]
		}
		if len(late) > 0 && late[0].Start == i.Start {
			i.Value -= min(i.Value, late[0].Value)
			i.Sum -= min(i.Sum, late[0].Sum)
		}
		if cmp.Or(i.Value, i.Sum) != 0 {
			rest = append(rest, i)
		}
	}
	return rest
}

// upTo calls sample with each next sample before limit, until sample fails.
func (c *curve) upTo(limit int64, p period, sample func(t int64, value, sum uint64) error) error {
	for ; c.time < limit; c.time = c.after(p) {
		for ; len(c.increases) > 0 && c.increases[0].End <= c.time; c.increases = c.increases[1:] {
			c.value += c.increases[0].Value
			c.sum += c.increases[0].Sum
			c.grown = c.time
		}
		if err := sample(c.time, c.value, c.sum); err != nil {
			return err
		}
	}
	return nil
}

// samples returns the number of all samples of a new curve.
func (c curve) samples(p period) (n int64) {
	if p.idle == 0 {
		// The number of multiples before the end.
		multiples := func(of int64) int64 { return (p.until+of-1)/of - (c.time+of-1)/of }
		twice := p.pairs // both a step and a half hour
		for twice%p.step != 0 {
			twice += p.pairs
		}
		return multiples(p.step) + multiples(twice) + 1
	}
	_ = c.upTo(never, p, func(int64, uint64, uint64) error {
		n++
		return nil
	})
	return n
}

// after returns the time of the next sample. A series that is idle continues when its
// next increase begins, and at the end of the period.
func (c *curve) after(p period) int64 {
	next := p.after(c.time)
	if p.idle == 0 || c.time < c.grown+p.idle || next == never {
		return next
	}
	begin := p.until
	if len(c.increases) > 0 {
		begin = c.increases[0].Start - c.increases[0].Start%p.step
	}
	return max(next, begin)
}

// never is a time after all samples.
const never = math.MaxInt64

// halfHour is the length of the coarse intervals of a history in milliseconds. In every
// usual time zone, days begin at multiples of it.
const halfHour = int64(counters.CoarseInterval / time.Millisecond)

// after returns the time of the next sample after t, or never.
//
// At every half hour that has a sample there are two, one millisecond apart, or at
// every time. The range of a query does not include its beginning: with a range from
// one hour to another, the second sample at its beginning and the first one at its end
// make the increase exact.
func (p period) after(t int64) int64 {
	switch {
	case t >= p.until:
		return never
	case t%p.pairs == 0:
		return t + 1
	default:
		return min(t-t%p.step+p.step, p.until)
	}
}

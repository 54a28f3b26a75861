package backfill

import (
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// Since returns the samples of the counters that have grown in intervals that end later
// than since, from then until now, in milliseconds since the epoch. A server continues
// its series with them. Each value includes all increases dated before its time.
func Since(h counters.History, since, now int64) (all []*push.Past) {
	if h.Off {
		return nil
	}
	h = h.Exposed()
	p := continuing(since, now)
	header, _ := api.NewHistory(h, "", time.Time{})
	for i := range h.Families {
		if h.Families[i].Family.Type.IsGauge() {
			continue // see hasPast
		}
		for j := range h.Families[i].Series {
			if s := &h.Families[i].Series[j]; s.GrewAfter(since) {
				grown := api.SeriesSince(h.Families[i].Family, s, since-halfHour)
				all = append(all, continued(&header.Families[i], &grown, s.Created, p)...)
			}
		}
	}
	return all
}

// continuing returns the period between two times. Each time has two samples.
func continuing(since, now int64) period {
	step := DefaultStep.Milliseconds()
	return period{since: since, until: (now-2)/step*step + 1, step: step, pairs: step}
}

// continued returns the samples of a series that has grown in a period. The first
// interval may have begun before the period. The value within it is not known.
func continued(f *api.HistoryFamily, s *api.HistorySeries, created int64, p period) (all []*push.Past) {
	c := curve{value: s.Base, sum: s.BaseSum, increases: s.Increases}
	for c.increases[0].End <= p.since {
		c.value += c.increases[0].Value
		c.sum += c.increases[0].Sum
		c.increases = c.increases[1:]
	}
	first := c.increases[0]
	if s.Hidden && first.End > p.until {
		return nil
	}
	switch {
	case first.Start < p.since:
		c.time = first.End
	case c.value > 0:
		c.time = p.since - p.since%p.step + p.step
	default:
		c.time = first.Start
	}
	if s.Hidden || c.time > p.until {
		c.time = never
	}
	made := newSeries(f, s, c, nil)
	for i := range made.lines {
		l := &made.lines[i]
		past := made.past(l, c, p)
		past.Created, past.Hidden, past.Begin = created, s.Hidden, first.Start
		past.Before, past.Last = l.valueOf(c.value, c.sum), l.valueOf(s.Value, s.Sum)
		all = append(all, past)
	}
	return all
}

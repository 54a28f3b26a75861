package main

import (
	"slices"

	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/push"
)

// pushHistory returns a function that returns the histories of the series that have
// grown since a time, for package push.
func pushHistory(history func() (ledger.History, bool)) func(since int64) ([]push.SeriesHistory, bool) {
	return func(since int64) (grown []push.SeriesHistory, ok bool) {
		h, ok := history()
		if !ok || h.Off {
			return nil, ok
		}
		for i := range h.Families {
			f := &h.Families[i]
			exposed := exposedFamily(f.Family)
			for j := range f.Series {
				if s := &f.Series[j]; s.GrewAfter(since) {
					of := seriesHistory(f.Family, s, since)
					of.Family = exposed
					grown = append(grown, of)
				}
			}
		}
		return grown, true
	}
}

// exposedFamily returns a family as it is gathered, without series.
func exposedFamily(f *ledger.Family) *dto.MetricFamily {
	kind := dto.MetricType_COUNTER
	if f.Type == ledger.Histogram {
		kind = dto.MetricType_HISTOGRAM
	}
	return &dto.MetricFamily{Name: &f.Name, Help: &f.Help, Type: &kind}
}

// seriesHistory returns the history of a series that has grown, with the intervals that
// end after since. The present numbers minus what was added later are converted, so
// that each value is the one that was exposed at its time.
func seriesHistory(f *ledger.Family, s *ledger.SeriesHistory, since int64) push.SeriesHistory {
	recent := s.Increases()
	for recent[0].End <= since {
		recent = recent[1:]
	}
	h := push.SeriesHistory{Metric: labelled(f, s), Created: s.Created, Hidden: s.Hidden, Intervals: make([]push.Interval, len(recent))}
	value, sum := s.Value, s.Sum
	for n, i := range slices.Backward(recent) {
		h.Intervals[n] = push.Interval{Start: i.Start, End: i.End, Totals: totals(f, value, sum)}
		value -= min(value, i.Value)
		sum -= min(sum, i.Sum)
	}
	h.Before = totals(f, value, sum)
	return h
}

// totals converts stored numbers to what is exposed.
func totals(f *ledger.Family, value, sum uint64) push.Totals {
	if f.Type == ledger.Histogram {
		return push.Totals{Value: float64(value), Sum: f.InUnit(sum)}
	}
	return push.Totals{Value: f.InUnit(value)}
}

// labelled returns a metric with the labels of a series.
func labelled(f *ledger.Family, s *ledger.SeriesHistory) *dto.Metric {
	m := new(dto.Metric)
	add := func(name, value string) {
		m.Label = append(m.Label, &dto.LabelPair{Name: &name, Value: &value})
	}
	for i, name := range f.Labels {
		add(name, s.Labels[i])
	}
	if f.Sourced {
		for name, value := range s.Source.Labels() {
			add(name, value)
		}
	}
	return m
}

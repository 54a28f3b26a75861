package ledger

import (
	"fmt"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// Increases before the birth that are counted after the first scrape are late:
// without them, the increases before the birth add up to what the first scrape had.
func TestLate(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	for seed := range uint64(testsize.Of(40, 12)) {
		r := newReplayer(seed, seed)
		l := New(testOptions(), r.now-1)
		steps := r.randomSteps(200)
		for _, s := range steps[:len(steps)/2] {
			s(l)
			for _, got := range lateOf(l) {
				if got != 0 {
					t.Fatalf("seed %d: got late increases before the first scrape", seed)
				}
			}
		}
		l.set.Start()
		want := valuesOf(l)
		for _, s := range steps[len(steps)/2:] {
			s(l)
		}
		if seed%2 == 0 {
			l = reopened(t, l)
		}
		all, late, grown := valuesOf(l), lateOf(l), uint64(0)
		for id, n := range late {
			grown += n
			if all[id]-n != want[id] {
				t.Errorf("seed %d: %s: got %d, of which %d late, want %d without them", seed, id, all[id], n, want[id])
			}
		}
		if grown == 0 {
			t.Errorf("seed %d: no late increases", seed)
		}
	}
}

// valuesOf returns the values before the birth, and lateOf the late part of them, by
// series.
func valuesOf(l *Ledger) map[string]uint64 { return before(l, (*counters.SeriesHistory).Increases) }
func lateOf(l *Ledger) map[string]uint64   { return before(l, (*counters.SeriesHistory).Late) }

func before(l *Ledger, of func(*counters.SeriesHistory) []counters.Increase) map[string]uint64 {
	all := make(map[string]uint64)
	options := *l.opts
	priced := options
	priced.Prices = new(pricing.Table) // also of families that are not exposed at present
	l.Configure(priced)
	defer l.Configure(options)
	for _, f := range l.History().Families {
		for i := range f.Series {
			if f.Family.Type == counters.Level { // which falls
				continue
			}
			s := &f.Series[i]
			id := fmt.Sprint(f.Family.Name, s.Labels, s.Source)
			all[id] = 0
			for _, in := range of(s) {
				if in.End <= l.set.Birth() {
					all[id] += in.Value
				}
			}
		}
	}
	return all
}

package counters

import (
	"cmp"
	"math"
	"slices"
)

// A Type is the metric type of a family.
type Type int

// The types of families.
const (
	Counter Type = iota
	Gauge        // never falls, see Set.Add
	Histogram
	Level // a gauge that falls, see Set.Subtract
)

// IsGauge reports whether a type is exposed as a gauge.
func (t Type) IsGauge() bool { return t == Gauge || t == Level }

// A Family describes the metrics of one name.
type Family struct {
	Name string
	Help string // a noun phrase or a sentence of at most 120 characters
	// Caveat is what is known to be missing or biased, for the documentation.
	Caveat string
	Type   Type
	// Labels are the names of its labels, without source labels.
	Labels []string
	// PerUnit is the number of stored units in one unit of Name: 1000 if milliseconds
	// are stored and seconds exposed. Zero means 1.
	PerUnit uint64
	// Buckets are the upper bounds of a histogram, in the unit of Name. Options.Buckets
	// can replace those with which the family was declared.
	Buckets []float64
	// Priced families are exposed only with prices, see Options.
	Priced bool
	// Sourced families have the labels of the source of a line.
	Sourced bool
}

// Divisor converts stored numbers to the unit of the family. Dividing by 1000 is exact
// where multiplying by 0.001, which has no exact float, is not: 31869 ms are 31.869 s.
func (f *Family) Divisor() uint64 { return cmp.Or(f.PerUnit, 1) }

// InUnit converts a stored number to the unit of the family.
func (f *Family) InUnit(v uint64) float64 { return float64(v) / float64(f.Divisor()) }

// An ID identifies a family of a set.
type ID int

// A familySeries is a family with its series.
type familySeries struct {
	Family
	defaultBuckets []float64
	series         map[string]*series
	inOrder        []*series            // by creation; only those that were published
	recent         [64]*series          // a cache of series, by quickHash
	perSource      map[SourceLabels]int // number of series
	limit          int                  // of perSource
	full           bool                 // some source has reached the limit
}

// Declare adds a family. Families must be declared before anything is counted or read.
func (s *Set) Declare(f Family) ID {
	id := ID(len(s.families))
	t := &familySeries{
		Family: f, defaultBuckets: f.Buckets,
		series: make(map[string]*series), perSource: make(map[SourceLabels]int), limit: defaultMaxSeries,
	}
	s.families = append(s.families, t)
	s.byName[f.Name] = id
	return id
}

// Families returns the declared families in their order, with their present buckets.
func (s *Set) Families() []Family {
	all := make([]Family, len(s.families))
	for i, t := range s.families {
		all[i] = t.Family
	}
	return all
}

// setLimit sets the number of series that each source may have.
func (t *familySeries) setLimit(limit int) {
	t.limit, t.full = limit, false
	for _, n := range t.perSource {
		t.full = t.full || n >= limit
	}
}

// areBounds reports whether bounds of buckets are in order.
func areBounds(bounds []float64) bool {
	for i := range bounds {
		if math.IsNaN(bounds[i]) || i > 0 && bounds[i] <= bounds[i-1] {
			return false
		}
	}
	return true
}

// rebucket moves the counts of a histogram to other bounds. An observation that was
// at most an old bound is at most the next new one: no cumulative count falls under a
// bound that stays, and the total is kept.
func (t *familySeries) rebucket(bounds []float64) {
	for _, s := range t.series {
		moved := make([]uint64, len(bounds)+1)
		for i, n := range s.Counts {
			to := len(bounds)
			if i < len(t.Buckets) {
				to, _ = slices.BinarySearch(bounds, t.Buckets[i])
			}
			moved[to] += n
		}
		s.Counts = moved
	}
	t.Buckets = slices.Clone(bounds)
}

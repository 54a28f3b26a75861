package counters

import "cmp"

// A Type is the metric type of a family.
type Type int

// The types of families. Their numbers are persisted.
const (
	Counter   Type = 0
	Gauge     Type = 1 // never falls, see Set.Add
	Histogram Type = 2
	Level     Type = 3 // a gauge that falls, see Set.Subtract
)

// IsGauge reports whether a type is exposed as a gauge.
func (t Type) IsGauge() bool { return t == Gauge || t == Level }

// A Family describes the metrics of one name.
type Family struct {
	Name string
	Help string // a noun phrase or a sentence of at most 120 characters
	// Caveat describes known gaps or bias, for the documentation.
	Caveat string
	Type   Type
	// Labels are the names of its labels, without source labels.
	Labels []string
	// PerUnit is the number of stored units in one unit of Name: 1000 if milliseconds
	// are stored and seconds exposed. Zero means 1.
	PerUnit uint64
	// Buckets are the upper bounds of a histogram, in the unit of Name. Options.Buckets
	// can replace the declared bounds.
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

// A familySeries is a family and its series.
type familySeries struct {
	Family
	defaultBuckets []float64
	bounds         []float64 // of series.Counts: Family.Buckets, and bounds exposed before
	buckets        []int     // the bucket of Family.Buckets that contains each of series.Counts
	series         map[string]*series
	inOrder        []*series   // published series by creation
	exposed        []*series   // the exposed series
	folded         []*series   // the series that are added up in exposed series
	recent         [64]*series // a cache of series, by quickHash
	perSource      map[SourceLabels]seriesCount
	limit          int  // of exposed series per source
	full           bool // some source has reached a limit
}

// A seriesCount is the number of series of a source.
type seriesCount struct{ all, exposed int }

// keptPerExposed is the number of series that each source may keep per series that it
// may expose.
const keptPerExposed = 5

// isFull reports whether a source can expose no more series, and keepsAll whether it
// can keep more.
func (t *familySeries) isFull(n seriesCount) bool   { return n.exposed >= t.limit }
func (t *familySeries) keepsAll(n seriesCount) bool { return n.all < keptPerExposed*t.limit }

// Declare adds a family. Families must be declared before any counting or decoding.
func (s *Set) Declare(f Family) ID {
	id := ID(len(s.families))
	t := &familySeries{
		Family: f, defaultBuckets: f.Buckets, bounds: f.Buckets,
		series: make(map[string]*series), perSource: make(map[SourceLabels]seriesCount), limit: defaultMaxSeries,
	}
	t.assignBuckets()
	s.families = append(s.families, t)
	s.byName[f.Name] = id
	return id
}

// Families returns the declared families in their order, with their current buckets.
func (s *Set) Families() []Family {
	all := make([]Family, len(s.families))
	for i, t := range s.families {
		all[i] = t.Family
	}
	return all
}

// setLimit sets the number of series that each source may expose.
func (t *familySeries) setLimit(limit int) {
	t.limit, t.full = limit, false
	for _, n := range t.perSource {
		t.full = t.full || !t.keepsAll(n)
	}
}

// count adds a series to the number of its source.
func (t *familySeries) count(ser *series) {
	n := t.perSource[ser.Source]
	n.all++
	if ser.fold == 0 {
		n.exposed++
	}
	t.perSource[ser.Source] = n
	t.full = t.full || !t.keepsAll(n)
}

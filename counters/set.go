package counters

import (
	"cmp"
	"slices"
)

// Options are the parts of the configuration that affect a set.
type Options struct {
	// Limits are the numbers of values that labels may have from each source, by label
	// name. For a label that keeps more values, the limit applies to the values exposed
	// by name.
	Limits map[string]int
	// MaxSeries is the number of series that a family may expose from each source. Each
	// label has its limit, but the combinations of several made-up labels could still
	// be millions. 0 means 10,000.
	MaxSeries int
	// Buckets are the upper bounds of histograms, by family name.
	Buckets map[string][]float64
	// Priced is whether priced families are exposed.
	Priced bool
	// FineHistory is the age limit of intervals of five minutes in the history, in
	// milliseconds; older intervals take half an hour. 0 stops recording, and keeps the
	// existing record.
	FineHistory int64
}

// A Set holds families and their series.
type Set struct {
	opts     Options
	birth    int64 // when the first set was made: the created time of its initial series
	families []*familySeries
	byName   map[string]ID
	labels   []labelValues
	byNumber []*series
	overflow ID

	published int // series up to this number are exposed: their creation was applied
	window    window
	now       int64 // see Advance; not saved
	mode      historyMode
	nextMode  historyMode // once the collected operations are applied
	ops       operations
}

// defaultMaxSeries applies if Options.MaxSeries is 0.
const defaultMaxSeries = 10_000

// New returns a set with only the family that counts overflows. Birth is the present
// time in milliseconds since the epoch.
func New(birth int64) *Set {
	s := &Set{birth: birth, byName: make(map[string]ID)}
	s.overflow = s.Declare(Family{
		Name: "ccwatchd_label_overflow_total", Labels: []string{"label"},
		Help: "Number of label values replaced by other, by label.",
	})
	return s
}

// Birth returns when the first set was made, in milliseconds since the epoch.
func (s *Set) Birth() int64 { return s.birth }

// Configure changes the options for later events. No operations may be pending.
func (s *Set) Configure(o Options) {
	s.opts = o
	for i := range s.labels {
		s.labels[i].limit = s.labels[i].defaultLimit
		if n, ok := o.Limits[s.labels[i].name]; ok {
			s.labels[i].limit = n
		}
	}
	for _, t := range s.families {
		t.setLimit(cmp.Or(o.MaxSeries, defaultMaxSeries))
		bounds, ok := o.Buckets[t.Name]
		if !ok {
			bounds = t.defaultBuckets
		}
		switch {
		case t.Type != Histogram || slices.Equal(bounds, t.Buckets):
		case s.ops.recording:
			s.ops.setBuckets(t, bounds)
		default:
			t.rebucket(bounds)
		}
	}
	s.setHistoryMode(historyMode{o.FineHistory > 0, s.nextMode.fine})
}

// Add adds n to a counter or a level, observes n with a histogram, or raises a gauge to
// n, at the time when, in milliseconds since the epoch. Adding 0 to a counter creates
// its series.
func (s *Set) Add(id ID, n uint64, when int64, source SourceLabels, labels ...string) {
	s.grow(s.seriesFor(id, when, source, labels), n, when)
}

// A Reduction is a number to take from a level's additions at the time When, in
// milliseconds since the epoch.
type Reduction struct {
	N    uint64
	When int64
}

// Subtract takes some numbers from a level. The history keeps the rest of each
// addition.
func (s *Set) Subtract(id ID, less []Reduction, source SourceLabels, labels ...string) {
	if len(less) == 0 {
		return
	}
	ser := s.seriesFor(id, less[0].When, source, labels)
	if s.ops.recording {
		s.ops.subtract(ser, less)
	} else {
		s.applyReductions(ser, less)
	}
}

// Defaults returns the limits of labels, and the buckets of histograms by family name,
// that apply unless the options replace them.
func (s *Set) Defaults() (limits map[string]int, buckets map[string][]float64) {
	limits, buckets = make(map[string]int), make(map[string][]float64)
	for _, l := range s.labels {
		limits[l.name] = l.defaultLimit
	}
	for _, t := range s.families {
		if t.Type == Histogram {
			buckets[t.Name] = slices.Clone(t.defaultBuckets)
		}
	}
	return limits, buckets
}

// Folded returns the labels that had values replaced by Other.
func (s *Set) Folded() (labels []string) {
	for _, ser := range s.families[s.overflow].inOrder {
		if ser.Value > 0 {
			labels = append(labels, ser.Labels[0])
		}
	}
	slices.Sort(labels)
	return labels
}

// Max returns the largest value of a family, 0 if it has no series.
func (s *Set) Max(id ID) (largest uint64) {
	for _, ser := range s.families[id].inOrder {
		largest = max(largest, ser.Value)
	}
	return largest
}

// CountOverflow counts a value that was replaced by Other for a reason other than its
// label's limit.
func (s *Set) CountOverflow(when int64) { s.Add(s.overflow, 1, when, "", combined) }

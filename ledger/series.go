package ledger

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A series is one combination of label values of a family.
type series struct {
	Sample
	number    uint64 // of the call that created it, see zeroFirst; 0 for a gauge
	increases increases
	late      *increases // some of them, see SeriesHistory.Late; mostly nil
}

// A table is a family with its series.
type table struct {
	Family
	// foreign are labels that were saved and that this version does not have in the
	// family. Series keep their values behind the others, and are exposed as their sum.
	foreign   []string
	missing   bool   // nothing was saved of the family: it is newer
	unknown   []byte // saved fields of the family that this version does not know
	extra     codec.Unknowns[*series]
	series    map[string]*series
	inOrder   []*series            // by creation, or by id if that is not known after a restart
	recent    [64]*series          // a cache of series, by quickHash
	perSource map[SourceLabels]int // number of series
	limit     int                  // of perSource
	full      bool                 // some source has reached the limit
}

// at returns the series with the given label values. If there is none, it is created at
// the time when, in milliseconds.
func (t *table) at(when int64, source SourceLabels, labels []string) *series {
	if !t.Sourced {
		source = ""
	}
	// Consecutive lines have much the same labels, so most series are in the cache.
	recent := &t.recent[quickHash(source, labels)%uint32(len(t.recent))]
	s := *recent
	if s == nil || s.Source != source || !slices.Equal(s.Labels, labels) {
		s = t.find(when, source, labels)
		*recent = s
	}
	return s
}

// quickHash returns a number that differs for most label values. It does not read all
// of them.
func quickHash(source SourceLabels, labels []string) uint32 {
	n := uint32(len(source)) //nolint:gosec // any bits will do
	for _, label := range labels {
		n = n*31 + uint32(len(label)) //nolint:gosec // likewise
		if end := len(label) - 1; end >= 0 {
			n = n*31 + uint32(label[0]) + uint32(label[end/2])<<5 + uint32(label[end])<<10
		}
	}
	return n ^ n>>16
}

// find returns the series with the given label values. If there is none, it creates it,
// or, if the source has too many, returns the overflow series instead.
func (t *table) find(when int64, source SourceLabels, labels []string) *series {
	if len(t.foreign) > 0 {
		labels = append(slices.Clone(labels), make([]string, len(t.foreign))...)
	}
	var room [256]byte
	id := seriesID(room[:0], source, labels)
	if s := t.series[string(id)]; s != nil {
		return s
	}
	if t.perSource[source] >= t.limit {
		if overflow := t.overflowLabels(labels); !slices.Equal(overflow, labels) {
			return t.find(when, source, overflow[:len(t.Labels)])
		}
	}
	s := &series{Sample: Sample{Labels: slices.Clone(labels), Source: source, Created: when}}
	if t.Type == Histogram {
		s.Counts, s.Native = make([]uint64, len(t.Buckets)+1), new(NativeHistogram)
	}
	t.series[string(id)] = s
	t.register(s)
	return s
}

// seriesID appends to id the identity of a series within its family.
func seriesID(id []byte, source SourceLabels, labels []string) []byte {
	for _, label := range labels {
		id = append(append(id, label...), 0)
	}
	return append(id, source...)
}

// register adds a new series to the fields derived from t.series.
func (t *table) register(s *series) {
	t.inOrder = append(t.inOrder, s)
	t.perSource[s.Source]++
	t.full = t.full || t.perSource[s.Source] >= t.limit
}

// index rebuilds what follows from t.series.
func (t *table) index() {
	clear(t.recent[:])
	clear(t.perSource)
	t.full = false
	t.inOrder = t.inOrder[:0]
	for _, id := range slices.Sorted(maps.Keys(t.series)) {
		t.register(t.series[id])
	}
}

// setLimit sets the number of series that each source may have.
func (t *table) setLimit(limit int) {
	t.limit, t.full = limit, false
	for _, n := range t.perSource {
		t.full = t.full || n >= limit
	}
}

// overflowLabels returns label values with Other for those that lines can make up.
func (t *table) overflowLabels(labels []string) []string {
	overflow := slices.Clone(labels)
	for i, name := range t.Labels {
		if overflow[i] != "" && slices.Contains(labelNames[:], name) {
			overflow[i] = Other
		}
	}
	return overflow
}

// at returns the series of a family with the given label values, and counts an overflow
// if it has other values.
func (l *Ledger) at(f familyID, when int64, source SourceLabels, labels []string) *series {
	t := &l.tables[f]
	known := len(t.inOrder)
	s := t.at(when, source, labels)
	if len(t.inOrder) > known && t.Type != Gauge {
		l.zeroFirst.number(s)
	}
	l.zeroFirst.observed(s, when)
	if t.full && !slices.Equal(s.Labels[:len(labels)], labels) {
		l.add(labelOverflow, 1, when, "", combined)
	}
	return s
}

// add adds n to a counter. Adding 0 creates its series.
func (l *Ledger) add(f familyID, n uint64, when int64, source SourceLabels, labels ...string) {
	s := l.at(f, when, source, labels)
	before := s.Value
	s.Value = SaturatingAdd(before, n)
	l.grew(s, when, s.Value-before, 0)
}

// raise sets a gauge to v if it is lower.
func (l *Ledger) raise(f familyID, v uint64, when int64, source SourceLabels, labels ...string) {
	s := l.at(f, when, source, labels)
	s.Value = max(s.Value, v)
}

// observe adds v to a histogram.
func (l *Ledger) observe(f familyID, v uint64, when int64, source SourceLabels, labels ...string) {
	t, s := &l.tables[f], l.at(f, when, source, labels)
	before := s.Sum
	s.Value++
	s.Sum = SaturatingAdd(before, v)
	l.grew(s, when, 1, s.Sum-before)
	i, _ := slices.BinarySearch(t.Buckets, t.InUnit(v))
	s.Counts[i]++
	s.Native.observe(t.InUnit(v))
}

// SaturatingAdd adds without overflow: whatever numbers a line makes up, a counter
// stays at the largest number and does not start again.
func SaturatingAdd(a, b uint64) uint64 {
	return a + min(b, math.MaxUint64-a)
}

// rebucket moves the counts of a histogram to other bounds. An observation that was
// at most an old bound is at most the next new one: no cumulative count falls under a
// bound that stays, and the total is kept.
func rebucket(old []float64, counts []uint64, bounds []float64) []uint64 {
	moved := make([]uint64, len(bounds)+1)
	for i, n := range counts {
		to := len(bounds)
		if i < len(old) {
			to, _ = slices.BinarySearch(bounds, old[i])
		}
		moved[to] += n
	}
	return moved
}

// SourceLabels are the labels that a source of the configuration adds, in one
// comparable value. The zero value adds none.
type SourceLabels string

// NewSourceLabels returns the given labels as SourceLabels.
func NewSourceLabels(labels map[string]string) SourceLabels {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		b.WriteString(name + "\x01" + labels[name] + "\x02")
	}
	return SourceLabels(b.String())
}

// Labels returns the labels as a map.
func (s SourceLabels) Labels() map[string]string {
	labels := make(map[string]string)
	for pair := range strings.SplitSeq(string(s), "\x02") {
		if name, value, ok := strings.Cut(pair, "\x01"); ok {
			labels[name] = value
		}
	}
	return labels
}

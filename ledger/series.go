package ledger

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/codec"
)

// A series is one combination of label values of a family.
type series struct {
	labels  []string
	source  SourceLabels
	value   uint64 // the sum, or a histogram's count
	sum     uint64 // of a histogram's observations
	counts  []uint64
	created int64  // milliseconds since the epoch
	number  uint64 // of the call that created it, see zeroFirst; 0 for a gauge
}

// A table is a family with its series.
type table struct {
	Family
	// foreign are labels that were saved and that this version does not have in the
	// family. Series keep their values behind the others, and are shown as their sum.
	foreign []string
	missing bool   // nothing was saved of the family: it is newer
	unknown []byte // saved fields that this version does not know, of the family
	extra   codec.Unknowns[*series]
	series  map[string]*series
	inOrder []*series            // as they came; sorted by their ids where that is not known any more
	recent  [64]*series          // some of them, by a glance at their labels
	sources map[SourceLabels]int // how many of them each source has
	limit   int                  // how many each of them may have
	full    bool                 // some source has them
}

// at returns the series with the given label values. One that does not exist yet
// is created at the time when, in milliseconds.
func (t *table) at(when int64, source SourceLabels, labels []string) *series {
	if !t.Sourced {
		source = ""
	}
	// One line has much the same labels as another, so most series are found
	// by a glance at their labels and without the map.
	recent := &t.recent[quickHash(source, labels)%uint32(len(t.recent))]
	s := *recent
	if s == nil || s.source != source || !slices.Equal(s.labels, labels) {
		s = t.find(when, source, labels)
		*recent = s
	}
	return s
}

// glance returns a number that differs for most label values.
func quickHash(source SourceLabels, labels []string) uint32 {
	n := uint32(len(source)) //nolint:gosec // what matters is that it differs
	for _, label := range labels {
		n = n*31 + uint32(len(label)) //nolint:gosec // likewise
		if end := len(label) - 1; end >= 0 {
			n = n*31 + uint32(label[0]) + uint32(label[end/2])<<5 + uint32(label[end])<<10
		}
	}
	return n ^ n>>16
}

// find returns the series with the given label values. If there is none it is a new
// one, or, where the source has too many, the one of all that only differ in what
// lines can invent.
func (t *table) find(when int64, source SourceLabels, labels []string) *series {
	if len(t.foreign) > 0 {
		labels = append(slices.Clone(labels), make([]string, len(t.foreign))...)
	}
	var room [256]byte
	id := seriesID(room[:0], source, labels)
	if s := t.series[string(id)]; s != nil {
		return s
	}
	if t.sources[source] >= t.limit {
		if others := t.overflowLabels(labels); !slices.Equal(others, labels) {
			return t.find(when, source, others[:len(t.Labels)])
		}
	}
	s := &series{labels: slices.Clone(labels), source: source, created: when}
	if t.Type == Histogram {
		s.counts = make([]uint64, len(t.Buckets)+1)
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

// enter notes a series that has come.
func (t *table) register(s *series) {
	t.inOrder = append(t.inOrder, s)
	t.sources[s.source]++
	t.full = t.full || t.sources[s.source] >= t.limit
}

// index builds again what follows from the series.
func (t *table) index() {
	clear(t.recent[:])
	clear(t.sources)
	t.full = false
	t.inOrder = t.inOrder[:0]
	for _, id := range slices.Sorted(maps.Keys(t.series)) {
		t.register(t.series[id])
	}
}

// sound reports whether the series have numbers up to that of the newest one.
func (t *table) valid(newest uint64) bool {
	for _, s := range t.series {
		if s.number > newest {
			return false
		}
	}
	return true
}

// bound sets how many series each source may have.
func (t *table) setLimit(limit int) {
	t.limit, t.full = limit, false
	for _, n := range t.sources {
		t.full = t.full || n >= limit
	}
}

// others returns label values with Other for those that are not of a closed set.
func (t *table) overflowLabels(labels []string) []string {
	others := slices.Clone(labels)
	for i, name := range t.Labels {
		if others[i] != "" && slices.Contains(labelNames[:], name) {
			others[i] = Other
		}
	}
	return others
}

// at returns the series of a family with the given label values, and counts it if it
// stands for others.
func (l *Ledger) at(f familyID, when int64, source SourceLabels, labels []string) *series {
	t := &l.tables[f]
	known := len(t.inOrder)
	s := t.at(when, source, labels)
	if len(t.inOrder) > known && t.Type != Gauge {
		l.zeroFirst.number(s)
	}
	l.zeroFirst.observed(s, when)
	if t.full && !slices.Equal(s.labels[:len(labels)], labels) {
		l.add(labelOverflow, 1, when, "", combined)
	}
	return s
}

// add adds n to a counter. Adding nothing makes its series stand at zero.
func (l *Ledger) add(f familyID, n uint64, when int64, source SourceLabels, labels ...string) {
	s := l.at(f, when, source, labels)
	s.value = sum(s.value, n)
}

// raise sets a gauge to v if it is lower.
func (l *Ledger) raise(f familyID, v uint64, when int64, source SourceLabels, labels ...string) {
	s := l.at(f, when, source, labels)
	s.value = max(s.value, v)
}

// observe puts v into a histogram.
func (l *Ledger) observe(f familyID, v uint64, when int64, source SourceLabels, labels ...string) {
	t, s := &l.tables[f], l.at(f, when, source, labels)
	s.value++
	s.sum = sum(s.sum, v)
	i, _ := slices.BinarySearch(t.Buckets, float64(v)*t.scale())
	s.counts[i]++
}

// sum adds, and stays at the largest number there is: whatever numbers a line
// makes up, no counter starts over.
func sum(a, b uint64) uint64 {
	return a + min(b, math.MaxUint64-a)
}

// rebucket moves the counts of a histogram to other bounds. What was at most
// an old bound is at most the next new one: no cumulative count goes down
// under a bound that stays, and the total is kept.
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

// A Source is the labels that a source of the configuration adds, in one
// comparable value. The zero Source adds none.
type SourceLabels string

// NewSource returns the Source with the given labels.
func NewSourceLabels(labels map[string]string) SourceLabels {
	names := make([]string, 0, len(labels))
	for name := range labels {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name + "\x01" + labels[name] + "\x02")
	}
	return SourceLabels(b.String())
}

// Labels returns the labels of the source.
func (s SourceLabels) Labels() map[string]string {
	labels := make(map[string]string)
	for pair := range strings.SplitSeq(string(s), "\x02") {
		if name, value, ok := strings.Cut(pair, "\x01"); ok {
			labels[name] = value
		}
	}
	return labels
}

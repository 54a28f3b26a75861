package counters

import (
	"math"
	"slices"
)

// A series is one combination of label values of a family.
type series struct {
	Sample
	family    *familySeries
	number    int  // in the order of creation
	index     int  // in familySeries.exposed, if it is there
	fold      int  // 1 + number of the series that exposes it, 0 if it is exposed itself
	crowded   bool // that series has Other for all limited labels, since there are too many
	increases increases
	late      *increases // some of them, see SeriesHistory.Late; mostly nil
}

// at returns the series of a family with the given label values, and counts an overflow
// if it has other values. If there is none, it is created at the time when.
func (s *Set) at(id ID, when int64, source SourceLabels, labels []string) *series {
	t := s.families[id]
	if !t.Sourced {
		source = ""
	}
	// Consecutive lines have much the same labels, so most series are in the cache.
	recent := &t.recent[quickHash(source, labels)%uint32(len(t.recent))]
	one := *recent
	if one == nil || one.Source != source || !slices.Equal(one.Labels, labels) {
		one = s.find(t, when, source, labels)
		*recent = one
	}
	if one.crowded || t.full && !slices.Equal(one.Labels, labels) {
		s.Add(s.overflow, 1, when, "", combined)
	}
	return one
}

// AddInitial creates a series of a family without a source at 0, unless it exists or
// does not fit: since nothing has happened, that is no overflow.
func (s *Set) AddInitial(id ID, labels ...string) {
	t := s.families[id]
	if _, exists := t.series[string(seriesID(nil, "", labels))]; !exists && !t.isFull(t.perSource[""]) {
		s.find(t, s.birth, "", labels)
	}
}

// quickHash returns a number that differs for most label values. It does not read all
// of them.
func quickHash(source SourceLabels, labels []string) uint32 {
	n := uint32(len(source))
	for _, label := range labels {
		n = n*31 + uint32(len(label))
		if end := len(label) - 1; end >= 0 {
			n = n*31 + uint32(label[0]) + uint32(label[end/2])<<5 + uint32(label[end])<<10
		}
	}
	return n ^ n>>16
}

// find returns the series with the given label values. If there is none, it creates it,
// or, if the source has too many, returns the overflow series instead.
func (s *Set) find(t *familySeries, when int64, source SourceLabels, labels []string) *series {
	if one := t.lookUp(source, labels); one != nil {
		return one
	}
	if !t.keepsAll(t.perSource[source]) {
		if overflow := s.overflowLabels(t, labels); !slices.Equal(overflow, labels) {
			return s.find(t, when, source, overflow)
		}
	}
	one := &series{Sample: Sample{Labels: slices.Clone(labels), Source: source, Created: when}, family: t}
	if s.window.started {
		s.setFold(one)
	}
	s.create(one)
	return one
}

// create adds a series that does not exist.
func (s *Set) create(one *series) {
	s.register(one)
	if s.ops.recording {
		s.ops.create(one)
	} else {
		s.publish(one)
	}
}

// lookUp returns the series with the given label values, or nil.
func (t *familySeries) lookUp(source SourceLabels, labels []string) *series {
	var room [256]byte
	return t.series[string(seriesID(room[:0], source, labels))]
}

// seriesID appends to id the identity of a series within its family.
func seriesID(id []byte, source SourceLabels, labels []string) []byte {
	for _, label := range labels {
		id = append(append(id, label...), 0)
	}
	return append(id, source...)
}

// register gives a new series the next number. It is not exposed yet.
func (s *Set) register(one *series) {
	t := one.family
	one.number = len(s.byNumber)
	if t.Type == Histogram {
		one.Counts = make([]uint64, len(t.bounds)+1)
	}
	s.byNumber = append(s.byNumber, one)
	t.series[string(seriesID(nil, one.Source, one.Labels))] = one
	t.count(one)
}

// publish exposes a series, which is the next one by number, or adds it to the one that
// exposes it.
func (s *Set) publish(one *series) {
	one.family.inOrder = append(one.family.inOrder, one)
	one.family.arrange(one)
	s.published++
	if !one.family.Type.IsGauge() && one.fold == 0 {
		s.window.newest = s.published
	}
}

// overflowLabels returns label values with Other for those that lines can make up.
func (s *Set) overflowLabels(t *familySeries, labels []string) []string {
	overflow := slices.Clone(labels)
	for i, name := range t.Labels {
		if overflow[i] != "" && s.labelIndex(name) >= 0 {
			overflow[i] = Other
		}
	}
	return overflow
}

// grow changes the value of a series, see Add.
func (s *Set) grow(one *series, n uint64, when int64) {
	if s.ops.recording {
		s.ops.add(one, n, when)
	} else {
		s.applyGrowth(one, n, when)
	}
}

func (s *Set) applyGrowth(one *series, n uint64, when int64) {
	value, sum := one.Value, one.Sum
	t := one.family
	if t.Type == Gauge {
		one.Value = max(value, n)
		return
	}
	s.setCreated(one, when)
	if one.fold != 0 {
		s.setCreated(s.exposing(one), when)
	}
	if t.Type == Histogram {
		one.Value, one.Sum = SaturatingAdd(value, 1), SaturatingAdd(sum, n)
		i, _ := slices.BinarySearch(t.bounds, t.InUnit(n))
		one.Counts[i]++
		one.Native.observe(t.InUnit(n))
	} else {
		one.Value = SaturatingAdd(value, n)
	}
	s.recordGrowth(one, when, one.Value-value, one.Sum-sum)
}

// setCreated records the time of an event, unless the created time may have been
// exposed: to a server another one would be a reset.
func (s *Set) setCreated(one *series, when int64) {
	if one.number >= s.window.exposed {
		one.Created = min(one.Created, when)
	}
}

// applyReductions lowers the value of a level, see Subtract.
func (s *Set) applyReductions(one *series, less []Reduction) {
	at := make(map[uint32]uint64)
	for _, r := range less {
		interval := coarse(intervalOf(r.When), s.mode.fine)
		at[interval] = SaturatingAdd(at[interval], r.N)
		one.Value -= min(r.N, one.Value)
	}
	one.increases.reduce(at, one.Value, s.mode.fine)
}

// SaturatingAdd adds without overflow: whatever numbers a line makes up, a counter
// stays at the largest number and does not start again.
func SaturatingAdd(a, b uint64) uint64 {
	return a + min(b, math.MaxUint64-a)
}

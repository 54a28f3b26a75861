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
	crowded   bool // the exposing series has overflowLabels, since there are too many
	increases increases
	late      *increases // late increases, see SeriesHistory.Late; mostly nil
}

// seriesFor returns the series of a family with the given label values, and counts an
// overflow if it has other values. A missing series is created at the time when.
func (s *Set) seriesFor(id ID, when int64, source SourceLabels, labels []string) *series {
	t := s.families[id]
	if !t.Sourced {
		source = ""
	}
	// Consecutive lines have similar labels, so most series are in the cache.
	recent := &t.recent[quickHash(source, labels)%uint32(len(t.recent))]
	ser := *recent
	if ser == nil || ser.Source != source || !slices.Equal(ser.Labels, labels) {
		ser = s.find(t, when, source, labels)
		*recent = ser
	}
	if ser.crowded || t.full && !slices.Equal(ser.Labels, labels) {
		s.Add(s.overflow, 1, when, "", combined)
	}
	return ser
}

// AddInitial creates a series of a family without a source at 0, unless it exists or
// does not fit; no event is lost, so this counts no overflow.
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

// find returns the series with the given label values. If it does not exist, find
// creates it, or, if the source has too many series, returns the overflow series
// instead.
func (s *Set) find(t *familySeries, when int64, source SourceLabels, labels []string) *series {
	if ser := t.lookUp(source, labels); ser != nil && !s.needsSuccessor(ser) {
		return ser
	}
	if !t.keepsAll(t.perSource[source]) {
		if overflow := s.overflowLabels(t, labels); !slices.Equal(overflow, labels) {
			return s.find(t, when, source, overflow)
		}
	}
	ser := &series{Sample: Sample{Labels: slices.Clone(labels), Source: source, Created: when}, family: t}
	if s.window.started {
		s.setFold(ser)
	}
	s.create(ser)
	return ser
}

// create adds a new series.
func (s *Set) create(ser *series) {
	s.register(ser)
	if s.ops.recording {
		s.ops.create(ser)
	} else {
		s.publish(ser)
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
func (s *Set) register(ser *series) {
	t := ser.family
	ser.number = len(s.byNumber)
	if t.Type == Histogram {
		ser.Counts = make([]uint64, len(t.bounds)+1)
	}
	s.byNumber = append(s.byNumber, ser)
	t.series[string(seriesID(nil, ser.Source, ser.Labels))] = ser
	t.count(ser)
}

// publish exposes a series, the next by number, or adds it to its exposing series.
func (s *Set) publish(ser *series) {
	ser.family.inOrder = append(ser.family.inOrder, ser)
	ser.family.arrange(ser)
	s.published++
	if !ser.family.Type.IsGauge() && ser.fold == 0 {
		s.window.newest = s.published
	}
}

// overflowLabels returns the labels with their replacements for values that lines can
// make up.
func (s *Set) overflowLabels(t *familySeries, labels []string) []string {
	overflow := slices.Clone(labels)
	for i, name := range t.Labels {
		if at := s.labelIndex(name); at >= 0 && overflow[i] != "" {
			overflow[i] = s.labels[at].replacement(overflow[i])
		}
	}
	return overflow
}

// grow changes the value of a series, see Add.
func (s *Set) grow(ser *series, n uint64, when int64) {
	if s.ops.recording {
		s.ops.add(ser, n, when)
	} else {
		s.applyGrowth(ser, n, when)
	}
}

func (s *Set) applyGrowth(ser *series, n uint64, when int64) {
	value, sum := ser.Value, ser.Sum
	t := ser.family
	if t.Type == Gauge {
		ser.Value = max(value, n)
		return
	}
	s.setCreated(ser, when)
	if ser.fold != 0 {
		s.setCreated(s.exposing(ser), when)
	}
	if t.Type == Histogram {
		ser.Value, ser.Sum = SaturatingAdd(value, 1), SaturatingAdd(sum, n)
		i, _ := slices.BinarySearch(t.bounds, t.InUnit(n))
		ser.Counts[i]++
		ser.Native.observe(t.InUnit(n))
	} else {
		ser.Value = SaturatingAdd(value, n)
	}
	s.recordGrowth(ser, when, ser.Value-value, ser.Sum-sum)
}

// setCreated records the time of an event, unless the created time may have been
// exposed: Prometheus would take a changed time for a reset.
func (s *Set) setCreated(ser *series, when int64) {
	if ser.number >= s.window.exposed {
		ser.Created = min(ser.Created, when)
	}
}

// applyReductions lowers the value of a level, see Subtract.
func (s *Set) applyReductions(ser *series, less []Reduction) {
	at := make(map[uint32]uint64)
	for _, r := range less {
		interval := coarse(intervalOf(r.When), s.mode.fine)
		at[interval] = SaturatingAdd(at[interval], r.N)
		ser.Value -= min(r.N, ser.Value)
	}
	ser.increases.reduce(at, ser.Value, s.mode.fine)
}

// SaturatingAdd adds without overflow: even if a line makes up a number, a counter
// stays at the largest number and does not start again.
func SaturatingAdd(a, b uint64) uint64 {
	return a + min(b, math.MaxUint64-a)
}

package counters

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/table"
)

// Code visits the whole set. No operations may be pending. A reader replaces all series
// and values of labels, and refuses families and labels that the set does not have.
// Code does not save which series are exposed as 0.
func (s *Set) Code(c *table.Coder) {
	table.Int(c, 1, &s.birth)
	labels := make([]string, len(s.labels))
	for i := range s.labels {
		labels[i] = s.labels[i].name
	}
	slices.Sort(labels)
	table.Slice(c, 2, &labels, s.codeLabel)
	table.Int(c, 3, &s.window.exposed)
	table.Bool(c, 4, &s.window.started)
	table.Bool(c, 5, &s.mode.on)
	table.Uint(c, 6, &s.mode.fine)
	if c.Reading() {
		s.nextMode = s.mode
		for _, t := range s.families {
			t.inOrder, t.exposed, t.folded = nil, nil, nil
		}
	}
	names := slices.Sorted(maps.Keys(s.byName))
	if table.Slice(c, 7, &names, s.codeFamily); c.Reading() && c.Err() == nil && !s.index() {
		c.Fail()
	}
}

// codeFamily visits a family and its series in the order of their numbers.
func (s *Set) codeFamily(c *table.Coder, name *string) {
	table.String(c, 1, name)
	id, known := s.byName[*name]
	if !known {
		c.Unsupported("family %s", *name)
		return
	}
	t := s.families[id]
	kind, labels := t.Type, t.Labels
	table.Int(c, 2, &kind)
	table.Strings(c, 3, &labels)
	if kind != t.Type || !slices.Equal(labels, t.Labels) {
		c.Unsupported("type or labels of family %s", *name)
		return
	}
	table.Floats(c, 4, &t.Buckets)
	table.Floats(c, 5, &t.bounds)
	if c.Reading() {
		if !t.validBounds() {
			c.Fail()
			return
		}
		t.assignBuckets()
	}
	table.Slice(c, 6, &t.inOrder, func(c *table.Coder, ser **series) {
		if c.Reading() {
			*ser = &series{family: t}
		}
		s.codeSeries(c, *ser)
	})
}

func (s *Set) codeSeries(c *table.Coder, ser *series) {
	table.Int(c, 1, &ser.number)
	table.Strings(c, 2, &ser.Labels)
	table.String(c, 3, &ser.Source)
	table.Uint(c, 4, &ser.Value)
	table.Uint(c, 5, &ser.Sum)
	table.Uints(c, 6, &ser.Counts)
	table.Int(c, 7, &ser.Created)
	s.codeIncreases(c, 8, &ser.increases)
	late := cmp.Or(ser.late, new(increases))
	if s.codeIncreases(c, 9, late); len(late.packed) > 0 {
		ser.late = late
	}
	table.Int(c, 10, &ser.fold)
	if ser.family.Type == Histogram {
		codeNative(c, &ser.Native)
	}
	if c.Reading() && c.Err() == nil && !ser.isValid() {
		c.Fail()
	}
}

func (s *Set) codeIncreases(c *table.Coder, n table.Number, h *increases) {
	if !c.Reading() {
		h.merge(s.mode.fine)
	}
	table.Bytes(c, n, &h.packed)
}

// index rebuilds the lookup structures from the decoded series. It returns false if the
// series are not valid.
func (s *Set) index() bool {
	n := 0
	for _, t := range s.families {
		n += len(t.inOrder)
	}
	s.byNumber, s.published = make([]*series, n), n
	s.window.newest, s.window.released = 0, n
	for _, t := range s.families {
		t.series, t.full = make(map[string]*series, len(t.inOrder)), false
		clear(t.recent[:])
		clear(t.perSource)
		before := -1
		for _, ser := range t.inOrder {
			if ser.number <= before || ser.number >= n || s.byNumber[ser.number] != nil {
				return false
			}
			before = ser.number
			s.byNumber[ser.number] = ser
			if same := t.lookUp(ser.Source, ser.Labels); same != nil && !same.hasSuccessor(ser) {
				return false
			}
			t.series[string(seriesID(nil, ser.Source, ser.Labels))] = ser
			t.count(ser)
			t.arrange(ser)
		}
	}
	return s.window.exposed <= n && !slices.ContainsFunc(s.byNumber, func(ser *series) bool { return !s.resolveFold(ser) })
}

// isValid reports whether a decoded series fits its family.
func (ser *series) isValid() bool {
	counts := 0
	if ser.family.Type == Histogram {
		counts = len(ser.family.bounds) + 1
	}
	observed, ok := ser.Native.Count()
	return len(ser.Labels) == len(ser.family.Labels) && len(ser.Counts) == counts &&
		ser.increases.load(ser.Value, ser.Sum) && (ser.late == nil || ser.late.load(ser.Value, ser.Sum)) &&
		(ser.family.Type != Histogram || !ok || observed == ser.Value)
}

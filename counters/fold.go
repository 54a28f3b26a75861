package counters

import (
	"cmp"
	"maps"
	"slices"
)

// A label may keep more values than it exposes by name. A series with a value that is
// not exposed is folded: a snapshot adds it to a series that has Other for that value.
// A series that exceeds the limit of its family and source is folded into a series that
// has Other for all limited labels.
//
// The exposing series is decided when a series is created, and does not change: a
// counter that moved from one series to another would fall. Start decides it for all
// existing series, since nothing was exposed before.

// RankBy declares a family of gauges that has the label and states when each of its
// values was last used. Start exposes the values that were used last.
func (s *Set) RankBy(id Label, gauges ID) { s.labels[id].ranking = gauges }

// exposeLastUsed decides which values of labels are exposed by name.
func (s *Set) exposeLastUsed() {
	for i := range s.labels {
		l := &s.labels[i]
		used := s.lastUses(l)
		names := slices.SortedFunc(maps.Keys(l.values), func(a, b string) int {
			return cmp.Or(cmp.Compare(used[b], used[a]), cmp.Compare(a, b))
		})
		for n, name := range names {
			l.values[name] = l.keeps() <= l.limit || n < l.limit
		}
		l.latest = ""
		if folded := l.folded(); folded > 0 {
			s.Add(s.overflow, uint64(folded), s.birth, "", l.name)
		}
	}
}

// lastUses returns the largest gauge for each value of a label.
func (s *Set) lastUses(l *labelValues) map[string]uint64 {
	t, used := s.families[l.ranking], make(map[string]uint64)
	if at := slices.Index(t.Labels, l.name); at >= 0 && t.Type == Gauge {
		for _, ser := range t.inOrder {
			used[ser.Labels[at]] = max(used[ser.Labels[at]], ser.Value)
		}
	}
	return used
}

// foldAll decides for all series how they are exposed. Series that are exposed under
// their own labels come first, as far as they fit.
func (s *Set) foldAll() {
	for _, t := range s.families {
		all := slices.Clone(t.inOrder)
		clear(t.perSource)
		for _, own := range []bool{true, false} {
			for _, ser := range all {
				if own == slices.Equal(s.exposedLabels(t, ser.Labels), ser.Labels) {
					s.setFold(ser)
					t.count(ser)
				}
			}
		}
		t.exposed, t.folded = nil, nil
		for _, ser := range t.inOrder {
			t.arrange(ser)
		}
	}
}

// setFold determines the series that exposes a new series, and creates it if necessary.
func (s *Set) setFold(ser *series) {
	t, labels := ser.family, s.exposedLabels(ser.family, ser.Labels)
	ser.fold, ser.crowded = 0, false
	if exists := t.lookUp(ser.Source, labels); exists != nil && exists != ser {
		ser.foldInto(s.exposing(exists), labels)
		return
	}
	to := labels
	if t.isFull(t.perSource[ser.Source]) {
		to = s.overflowLabels(t, labels)
	}
	if slices.Equal(to, ser.Labels) {
		return
	}
	exposing := t.lookUp(ser.Source, to)
	if exposing == nil {
		exposing = &series{Sample: Sample{Labels: to, Source: ser.Source, Created: ser.Created}, family: t}
		s.create(exposing)
	}
	ser.foldInto(exposing, labels)
}

// foldInto makes exposing expose the series, which would have the given labels if the
// family were not full.
func (ser *series) foldInto(exposing *series, labels []string) {
	ser.fold, ser.crowded = exposing.number+1, !slices.Equal(exposing.Labels, labels)
}

// exposedLabels returns the labels with Other for values that are not exposed by name.
func (s *Set) exposedLabels(t *familySeries, labels []string) []string {
	exposed := slices.Clone(labels)
	for i, name := range t.Labels {
		if at := s.labelIndex(name); at >= 0 {
			exposed[i] = s.Exposed(Label(at), labels[i])
		}
	}
	return exposed
}

// exposing returns the series that exposes ser: another series or ser itself.
func (s *Set) exposing(ser *series) *series {
	if ser.fold == 0 {
		return ser
	}
	return s.byNumber[ser.fold-1]
}

// resolveFold completes a decoded series. It returns false if its exposing series is
// not valid.
func (s *Set) resolveFold(ser *series) bool {
	if ser.fold == 0 {
		return true
	}
	if ser.fold < 0 || ser.fold > len(s.byNumber) {
		return false
	}
	to := s.exposing(ser)
	if to == ser || to.fold != 0 || to.family != ser.family || to.Source != ser.Source {
		return false
	}
	ser.foldInto(to, s.exposedLabels(ser.family, ser.Labels))
	return true
}

// arrange adds a series to the exposed or the folded series.
func (t *familySeries) arrange(ser *series) {
	if ser.fold != 0 {
		t.folded = append(t.folded, ser)
		return
	}
	ser.index = len(t.exposed)
	t.exposed = append(t.exposed, ser)
}

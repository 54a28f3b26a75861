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
		for _, one := range t.inOrder {
			used[one.Labels[at]] = max(used[one.Labels[at]], one.Value)
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
			for _, one := range all {
				if own == slices.Equal(s.exposedLabels(t, one.Labels), one.Labels) {
					s.setFold(one)
					t.count(one)
				}
			}
		}
		t.exposed, t.folded = nil, nil
		for _, one := range t.inOrder {
			t.arrange(one)
		}
	}
}

// setFold determines the series that exposes a new series, and creates it if necessary.
func (s *Set) setFold(one *series) {
	t, labels := one.family, s.exposedLabels(one.family, one.Labels)
	one.fold, one.crowded = 0, false
	if exists := t.lookUp(one.Source, labels); exists != nil && exists != one {
		one.foldInto(s.exposing(exists), labels)
		return
	}
	to := labels
	if t.isFull(t.perSource[one.Source]) {
		to = s.overflowLabels(t, labels)
	}
	if slices.Equal(to, one.Labels) {
		return
	}
	exposing := t.lookUp(one.Source, to)
	if exposing == nil {
		exposing = &series{Sample: Sample{Labels: to, Source: one.Source, Created: one.Created}, family: t}
		s.create(exposing)
	}
	one.foldInto(exposing, labels)
}

// foldInto makes exposing expose the series, which would have the given labels if the
// family were not full.
func (one *series) foldInto(exposing *series, labels []string) {
	one.fold, one.crowded = exposing.number+1, !slices.Equal(exposing.Labels, labels)
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
func (s *Set) exposing(one *series) *series {
	if one.fold == 0 {
		return one
	}
	return s.byNumber[one.fold-1]
}

// resolveFold completes a decoded series. It returns false if its exposing series is
// not valid.
func (s *Set) resolveFold(one *series) bool {
	if one.fold == 0 {
		return true
	}
	if one.fold < 0 || one.fold > len(s.byNumber) {
		return false
	}
	to := s.exposing(one)
	if to == one || to.fold != 0 || to.family != one.family || to.Source != one.Source {
		return false
	}
	one.foldInto(to, s.exposedLabels(one.family, one.Labels))
	return true
}

// arrange adds a series to the exposed or the folded series.
func (t *familySeries) arrange(one *series) {
	if one.fold != 0 {
		t.folded = append(t.folded, one)
		return
	}
	one.index = len(t.exposed)
	t.exposed = append(t.exposed, one)
}

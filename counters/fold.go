package counters

import (
	"cmp"
	"maps"
	"slices"
)

// A label may keep more values than it exposes by name. A series with a value that is
// not exposed is folded: a snapshot adds it to a series that has Other for that value.
// A series that exceeds the limit of its family and source is folded into a series that
// has Other for all limited labels, or names that need no room.
//
// The exposing series is decided when a series is created, and does not change: a
// counter that moved from one series to another would fall. Start decides it for all
// existing series, since nothing was exposed before. If a value was folded because of
// other sources, before format 3, and has a name now, a series with the same labels
// succeeds the folded series, which no longer grows.

// RankBy declares families that have the label: of its usage, and of gauges, without
// further labels, that state when each of its values was last used. Start exposes the
// values with the most usage, and a value counts for the limit of exposed values while
// it is in use.
func (s *Set) RankBy(id Label, usage, lastUses ID) {
	s.labels[id].usage, s.labels[id].lastUses = usage, lastUses
}

// atStart returns how many values of a source Start exposes by name, if it does not
// keep all: the rest of the limit is for later values.
func (l *labelValues) atStart() int { return (l.limit*3 + 4) / 5 }

// exposeMostUsed decides which values of labels are exposed by name.
func (s *Set) exposeMostUsed() {
	for i := range s.labels {
		l := &s.labels[i]
		if l.latest = ""; l.keeps() <= l.limit {
			continue
		}
		usage, lastUses := s.sums(l, l.usage), s.sums(l, l.lastUses)
		for v := range lastUses {
			if _, shared := l.shared[v.value]; shared && l.bySource[v.source][v.value] == folded {
				l.set(v.source, v.value, folded)
			}
		}
		clear(l.shared)
		for source, values := range l.bySource {
			names := slices.SortedFunc(maps.Keys(values), func(a, b string) int {
				a1, b1 := sourceValue{source, a}, sourceValue{source, b}
				return cmp.Or(cmp.Compare(usage[b1], usage[a1]), cmp.Compare(lastUses[b1], lastUses[a1]), cmp.Compare(a, b))
			})
			for n, name := range names {
				if values[name] = namedAtStart; n >= l.atStart() {
					values[name] = folded
					s.Add(s.overflow, 1, s.birth, "", l.name)
				}
			}
		}
	}
}

type sourceValue struct {
	source SourceLabels
	value  string
}

// sums returns the sums of the series of a family by source and value of a label.
func (s *Set) sums(l *labelValues, family ID) map[sourceValue]uint64 {
	t, all := s.families[family], make(map[sourceValue]uint64)
	if at := slices.Index(t.Labels, l.name); at >= 0 {
		for _, ser := range t.inOrder {
			key := sourceValue{l.owner(ser.Source), ser.Labels[at]}
			all[key] = SaturatingAdd(all[key], ser.Value)
		}
	}
	return all
}

// foldAll decides for all series how they are exposed. Series that are exposed under
// their own labels come first, as far as they fit.
func (s *Set) foldAll() {
	for _, t := range s.families {
		all := slices.Clone(t.inOrder)
		clear(t.perSource)
		for _, own := range []bool{true, false} {
			for _, ser := range all {
				if own == s.isNamed(ser) {
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
	t, labels := ser.family, s.exposedLabels(ser)
	ser.fold, ser.crowded = 0, false
	if exists := t.lookUp(ser.Source, labels); exists != nil && exists != ser && !exists.hasSuccessor(ser) {
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

// exposedLabels returns the labels of a series with Other for values that are not
// exposed by name.
func (s *Set) exposedLabels(ser *series) []string {
	exposed := slices.Clone(ser.Labels)
	for i, name := range ser.family.Labels {
		if at := s.labelIndex(name); at >= 0 {
			exposed[i] = s.Exposed(Label(at), ser.Source, exposed[i])
		}
	}
	return exposed
}

// isNamed reports whether all values of a series are exposed by name.
func (s *Set) isNamed(ser *series) bool { return slices.Equal(s.exposedLabels(ser), ser.Labels) }

// needsSuccessor reports whether a series was folded because of other sources, while
// all its values have names now, and there is room for a series with them.
func (s *Set) needsSuccessor(ser *series) bool {
	t := ser.family
	if n := t.perSource[ser.Source]; ser.fold == 0 || t.isFull(n) || !t.keepsAll(n) || !s.isNamed(ser) {
		return false
	}
	for i, name := range t.Labels {
		if at := s.labelIndex(name); at >= 0 && s.labels[at].isNamedAgain(ser.Source, ser.Labels[i]) {
			return true
		}
	}
	return false
}

// hasSuccessor reports whether a series is one that another series with the same labels
// succeeds.
func (ser *series) hasSuccessor(other *series) bool {
	return ser.fold != 0 && other.fold == 0 && other.Source == ser.Source && slices.Equal(other.Labels, ser.Labels)
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
	ser.foldInto(to, s.exposedLabels(ser))
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

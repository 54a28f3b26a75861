package counters

import "slices"

// Exposed returns the history of the series as they are exposed, with folded series
// added up.
func (h History) Exposed() History {
	families := h.Families
	h.Families = make([]FamilyHistory, len(families))
	for i := range families {
		h.Families[i] = families[i].exposed()
	}
	return h
}

func (f FamilyHistory) exposed() FamilyHistory {
	folded := make(map[int][]*SeriesHistory) // by the number of the exposing series
	var all []SeriesHistory
	for i := range f.Series {
		if ser := &f.Series[i]; ser.fold == 0 {
			all = append(all, *ser)
		} else {
			folded[ser.fold-1] = append(folded[ser.fold-1], ser)
		}
	}
	for i := range all {
		if others := folded[all[i].number]; len(others) > 0 {
			all[i].addAll(others)
		}
	}
	f.Series = all
	return f
}

func (s *SeriesHistory) addAll(others []*SeriesHistory) {
	grown, late := []*increases{&s.increases}, []*increases{s.late}
	for _, other := range others {
		s.Value, s.Sum = SaturatingAdd(s.Value, other.Value), SaturatingAdd(s.Sum, other.Sum)
		grown, late = append(grown, &other.increases), append(late, other.late)
	}
	s.increases = sumOf(grown, s.fine)
	if late = slices.DeleteFunc(late, func(h *increases) bool { return h == nil }); len(late) > 0 {
		s.late = new(sumOf(late, s.fine))
	}
}

func sumOf(all []*increases, fine uint32) increases {
	var sum increases
	for _, h := range all {
		sum.outOfOrder = slices.AppendSeq(sum.outOfOrder, h.inOrder(fine))
	}
	sum.merge(fine)
	return sum
}

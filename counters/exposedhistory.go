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
	folded := make(map[int][]*SeriesHistory) // by the number of the series that exposes them
	var all []SeriesHistory
	for i := range f.Series {
		if one := &f.Series[i]; one.fold == 0 {
			all = append(all, *one)
		} else {
			folded[one.fold-1] = append(folded[one.fold-1], one)
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
	for _, one := range others {
		s.Value, s.Sum = SaturatingAdd(s.Value, one.Value), SaturatingAdd(s.Sum, one.Sum)
		grown, late = append(grown, &one.increases), append(late, one.late)
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

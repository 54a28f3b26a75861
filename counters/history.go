package counters

import (
	"iter"
	"slices"
)

// A History is a set's record of when its series grew, at one moment. It shares no
// memory with the changing set.
type History struct {
	// Birth is when the state began, in milliseconds since the epoch.
	Birth int64
	// Off reports that growth is not recorded at present, see Options.FineHistory.
	Off bool
	// FineFrom is the time, in milliseconds since the epoch, after which intervals take
	// five minutes instead of half an hour.
	FineFrom int64
	// Families are the exposed counters and histograms.
	Families []FamilyHistory
	// Gauges are the families of gauges that never fall. They have only their present
	// values, and no increases.
	Gauges []FamilyHistory
	// Folded are the numbers of values that are exposed as Other, by label.
	Folded map[string]int
}

// A FamilyHistory is the series of a family, in the order of their creation. They have
// the kept values of labels, see History.Exposed. Two series have the same labels if
// their value was folded and has a name again: the earlier one no longer grows.
type FamilyHistory struct {
	Family *Family
	Series []SeriesHistory
}

// A SeriesHistory is a series and when it grew.
type SeriesHistory struct {
	Sample      // without Counts and Native, whether or not the series has been released
	Hidden bool // the series is exposed as 0 at present

	number, fold int // see series
	increases    increases
	late         *increases
	fine         uint32
}

// An Increase is the growth of a series in an interval of time.
type Increase struct {
	// Start and End are times in milliseconds since the epoch. End is not part of the
	// interval.
	Start, End int64
	// Value is the increase of Sample.Value, and Sum the increase of Sample.Sum.
	Value, Sum uint64
}

// Increases returns the increases in order: at most one per interval, none of them
// zero.
func (s *SeriesHistory) Increases() []Increase { return slices.Collect(s.All()) }

// All visits the increases in the order of Increases.
func (s *SeriesHistory) All() iter.Seq[Increase] { return s.increases.visible(s.fine) }

// Late returns the increases dated before Birth that were counted after the first
// scrape, for example from a directory added later. An increase can be late in part.
func (s *SeriesHistory) Late() []Increase {
	if s.late == nil {
		return nil
	}
	return slices.Collect(s.late.visible(s.fine))
}

// visible visits the increases in order. Intervals before fine are coarse.
func (h *increases) visible(fine uint32) iter.Seq[Increase] {
	return func(yield func(Increase) bool) {
		for i := range h.inOrder(fine) {
			start, end := span(i.at, fine)
			if !yield(Increase{start, end, i.value, i.sum}) {
				return
			}
		}
	}
}

// span returns the beginning and the end of an interval, in milliseconds since the
// epoch. Intervals before fine are coarse.
func span(at, fine uint32) (start, end int64) {
	length := int64(fineMillis)
	if at < fine {
		length *= perCoarse
	}
	start = int64(coarse(at, fine)) * fineMillis
	return start, start + length
}

// History returns the history of all series.
func (s *Set) History() History {
	h := History{
		Birth: s.birth, Off: s.opts.FineHistory <= 0, FineFrom: int64(s.mode.fine) * fineMillis, Folded: make(map[string]int),
	}
	for i := range s.labels {
		if n := s.labels[i].foldedNames(); n > 0 && s.window.started {
			h.Folded[s.labels[i].name] = n
		}
	}
	for _, t := range s.families {
		if t.Priced && !s.opts.Priced {
			continue
		}
		f := t.Family
		family := FamilyHistory{Family: &f, Series: make([]SeriesHistory, 0, len(t.inOrder))}
		for _, series := range t.inOrder {
			family.Series = append(family.Series, s.historyOf(series))
		}
		if t.Type == Gauge {
			h.Gauges = append(h.Gauges, family)
			continue
		}
		h.Families = append(h.Families, family)
	}
	return h
}

func (s *Set) historyOf(ser *series) SeriesHistory {
	h := SeriesHistory{
		Sample: ser.Sample, Hidden: s.hidden(ser), number: ser.number, fold: ser.fold, increases: ser.increases.clone(), fine: s.mode.fine,
	}
	if ser.late != nil {
		h.late = new(ser.late.clone())
	}
	h.Counts, h.Native = nil, NativeHistogram{}
	return h
}

// Began returns the start of the first interval with growth, in milliseconds since the
// epoch. ok is false if the series never grew.
func (s *SeriesHistory) Began() (start int64, ok bool) {
	for i := range s.All() {
		return i.Start, true
	}
	return 0, false
}

// GrewAfter reports whether the series grew in an interval that ends after a time in
// milliseconds since the epoch.
func (s *SeriesHistory) GrewAfter(when int64) bool {
	last, ok := s.increases.newest()
	_, end := span(last, s.fine)
	return ok && end > when
}

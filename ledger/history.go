package ledger

import (
	"iter"
	"slices"
	"time"
)

// A History is a ledger's record of when its series grew, at one moment. It shares
// nothing with the ledger that changes.
type History struct {
	// Birth is when the state began, in milliseconds since the epoch.
	Birth int64
	// Off reports that nothing is recorded at present, see Options.FineHistory.
	Off bool
	// FineFrom is the time from which intervals take five minutes; before it they take
	// an hour, in milliseconds since the epoch.
	FineFrom int64
	// Families are those of all counters and histograms that are exposed.
	Families []FamilyHistory
}

// A FamilyHistory is the series of a family, in the order in which they were created.
type FamilyHistory struct {
	Family *Family
	Series []SeriesHistory
}

// A SeriesHistory is a series and when it grew.
type SeriesHistory struct {
	Sample      // without Counts, whether or not the series has been released
	Hidden bool // the series is exposed as 0 at present

	increases increases
	late      *increases
	fine      uint32
}

// An Increase is by how much a series grew in an interval of time.
type Increase struct {
	// Start and End are times in milliseconds since the epoch. End is not part of the
	// interval.
	Start, End int64
	// Value is the increase of Sample.Value and Sum that of Sample.Sum.
	Value, Sum uint64
}

// Increases returns the increases in order. Each is in another interval, and none is
// zero.
func (s *SeriesHistory) Increases() []Increase { return slices.Collect(s.All()) }

// All visits the increases in the order of Increases.
func (s *SeriesHistory) All() iter.Seq[Increase] { return s.increases.visible(s.fine) }

// Late returns those increases, or parts of them, that are before Birth but were
// counted after series could be scraped: from files that were added later, for example.
// The first scrapes did not have them. Every scrape has all other increases before
// Birth.
func (s *SeriesHistory) Late() []Increase {
	if s.late == nil {
		return nil
	}
	return slices.Collect(s.late.visible(s.fine))
}

// visible visits the increases in order. Intervals before fine are hours.
func (h *increases) visible(fine uint32) iter.Seq[Increase] {
	return func(yield func(Increase) bool) {
		for i := range h.inOrder(fine) {
			length := int64(fineMillis)
			if i.at < fine {
				length *= perHour
			}
			start := int64(i.at) * fineMillis
			if !yield(Increase{start, start + length, i.value, i.sum}) {
				return
			}
		}
	}
}

// minTime is the time before which no line can have been written: Claude Code did not
// exist.
var minTime = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

// The reasons for which a line has the time at which it was read.
const (
	missingTime = "missing"
	futureTime  = "future"
	pastTime    = "before_2020"
)

// TimeReasons lists them. It must not be modified.
var TimeReasons = []string{missingTime, futureTime, pastTime}

// timeOf returns the time at which a line counts: its own, unless that is missing, in
// the future, or before 2020. Then it is the time at which the line was read, and
// reason states why.
func timeOf(stated, now int64) (when int64, reason string) {
	switch {
	case stated == 0:
		return now, missingTime
	case stated > now:
		return now, futureTime
	case stated < minTime:
		return now, pastTime
	default:
		return stated, ""
	}
}

// grew records by how much a series grew.
func (l *Ledger) grew(s *series, when int64, value, addend uint64) {
	if l.opts.FineHistory <= 0 || value|addend == 0 {
		return
	}
	at := intervalOf(when)
	s.increases.add(at, value, addend, l.fineFrom)
	if at < intervalOf(l.birth) && l.zeroFirst.released > 0 {
		if s.late == nil {
			s.late = new(increases)
		}
		s.late.add(at, value, addend, l.fineFrom)
	}
}

// advanceHistory moves the boundary between hours and shorter intervals forward. It is
// always at midnight UTC. A boundary in the future, which a wrong clock leaves behind,
// moves back.
func (l *Ledger) advanceHistory(now int64) {
	if l.opts.FineHistory <= 0 {
		return
	}
	fine := intervalOf(now - l.opts.FineHistory)
	fine -= fine % perDay
	if fine > l.fineFrom || l.fineFrom > intervalOf(now) {
		l.fineFrom = fine
	}
}

// History returns the history of all series.
func (l *Ledger) History() History {
	h := History{Birth: l.birth, Off: l.opts.FineHistory <= 0, FineFrom: int64(l.fineFrom) * fineMillis}
	for i := range l.tables {
		t := &l.tables[i]
		if t.Type == Gauge || t.Priced && l.opts.Prices == nil {
			continue
		}
		f := t.Family
		h.Families = append(h.Families, FamilyHistory{&f, t.history(&l.zeroFirst, l.fineFrom)})
	}
	return h
}

// history returns the history of the series of a table. Series that differ only in
// foreign labels are one.
func (t *table) history(z *zeroFirst, fine uint32) []SeriesHistory {
	all := make([]SeriesHistory, 0, len(t.inOrder))
	indexes := make(map[string]int)
	for _, s := range t.inOrder {
		h := SeriesHistory{Sample: s.Sample, Hidden: z.hidden(s), increases: s.increases.clone(), fine: fine}
		if s.late != nil {
			h.late = new(s.late.clone())
		}
		h.Counts, h.Native = nil, nil
		if len(t.foreign) > 0 {
			h.Labels = s.Labels[:len(t.Labels)]
			id := string(seriesID(nil, h.Source, h.Labels))
			if first, again := indexes[id]; again {
				all[first].merge(&h)
				continue
			}
			indexes[id] = len(all)
		}
		all = append(all, h)
	}
	return all
}

// merge adds another series.
func (s *SeriesHistory) merge(other *SeriesHistory) {
	value, total := s.Value, s.Sum
	s.Value, s.Sum = SaturatingAdd(value, other.Value), SaturatingAdd(total, other.Sum)
	s.Created, s.Hidden = min(s.Created, other.Created), s.Hidden && other.Hidden
	s.increases.addAll(&other.increases, s.Value-value, s.Sum-total, s.fine)
	s.late = s.late.with(other.late, s.Value-value, s.Sum-total, s.fine)
}

// Began returns the beginning of the first interval in which the series grew, in
// milliseconds since the epoch. ok is false if there is none.
func (s *SeriesHistory) Began() (start int64, ok bool) {
	first, ok := s.increases.first()
	return int64(coarse(first, s.fine)) * fineMillis, ok
}

// GrewAfter reports whether the series grew in an interval that ends after a time in
// milliseconds since the epoch.
func (s *SeriesHistory) GrewAfter(when int64) bool {
	last, ok := s.increases.newest()
	length := int64(1)
	if last < s.fine {
		length = perHour
	}
	return ok && (int64(coarse(last, s.fine))+length)*fineMillis > when
}

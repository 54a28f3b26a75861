package ledger

import "math"

// A Snapshot is a ledger at one moment, as a scrape shows it. It belongs to
// whoever has it filled, and is filled again and again by one ledger: what is
// in a place then stays there, be it a family or a series, and only its numbers
// change.
type Snapshot struct {
	// Showing is the number of the showing that has the newest series for the first
	// time: this one, or one before it. See Ledger.Reveal.
	Showing   uint64
	Families  []FamilySamples
	Live      []Session      // the newest first; of very many, some of the newest
	Active    []Active       // live sessions, all of them, by project
	Unsettled int            // messages held back
	DedupKeys map[string]int // keys, by what they stand for
}

// FamilySamples are the series of a family, in the order in which they came.
type FamilySamples struct {
	Family  *Family
	Samples []Sample
}

// A Sample is one series at one moment. Its labels must not be changed.
type Sample struct {
	Labels  []string // values for Family.Labels
	Source  Source
	Value   uint64 // of a counter or gauge; the count of a histogram; times Family.Scale
	Sum     uint64 // of a histogram; times Family.Scale
	Counts  []uint64
	Created int64 // of the first event, in milliseconds since the epoch
}

// Unshown reports whether there is a series that no scrape has shown yet.
func (l *Ledger) Unshown() bool {
	for i := range l.tables {
		if l.tables[i].unshown > 0 {
			return true
		}
	}
	return false
}

// Show notes that a scrape has shown every series that there is. Each time that
// one of them was new is a showing.
func (l *Ledger) Show() {
	if !l.Unshown() {
		return
	}
	l.showings++
	for i := range l.tables {
		t := &l.tables[i]
		if t.unshown == 0 {
			continue
		}
		for _, s := range t.inOrder {
			if s.shown == 0 {
				s.shown = l.showings
			}
		}
		t.unshown = 0
	}
}

// Reveal has all series show their values from now on that were new in a showing
// up to this one, by its number: everybody has seen them at zero. AllShowings are
// all that there were.
func (l *Ledger) Reveal(showing uint64) {
	l.revealed = max(l.revealed, min(showing, l.showings))
}

// AllShowings is a number that no showing has, and all have a smaller one.
const AllShowings = math.MaxUint64

// Hides reports whether a series is at zero that Reveal would reveal.
func (l *Ledger) Hides(showing uint64) bool { return min(showing, l.showings) > l.revealed }

// Fill makes s what a scrape at the time now shows. A series is zero in it until
// it was revealed: a server that computes an increase sees all that happened only
// if it has seen the series at zero.
//
// What s was filled with before, by the same ledger, is overwritten in place:
// the time and memory that this takes is that of the numbers, save for series
// that are new.
func (l *Ledger) Fill(s *Snapshot, now int64) {
	if s.Showing = l.showings; l.Unshown() {
		s.Showing++
	}
	s.Live = l.liveSessions(s.Live[:0], now)
	s.Active = l.activeSessions(s.Active[:0], now)
	s.Unsettled = l.Unsettled()
	s.DedupKeys = l.DedupKeys()
	if s.Families == nil {
		s.Families = make([]FamilySamples, len(l.tables))
		for i := range s.Families {
			s.Families[i].Family = new(Family)
		}
	}
	for i := range l.tables {
		l.tables[i].fill(&s.Families[i], l.revealed)
	}
}

func (t *table) fill(to *FamilySamples, revealed uint64) {
	*to.Family = t.Family // Configure changes the ledger's own
	for _, s := range t.inOrder[len(to.Samples):] {
		to.Samples = append(to.Samples, Sample{Labels: s.labels, Source: s.source})
	}
	for i, s := range t.inOrder {
		to.Samples[i].fill(s, t.Type == Gauge || s.shown != 0 && s.shown <= revealed)
	}
}

func (to *Sample) fill(s *series, revealed bool) {
	to.Created = s.created
	to.Counts = append(to.Counts[:0], s.counts...)
	if revealed {
		to.Value, to.Sum = s.value, s.sum
	} else {
		clear(to.Counts)
	}
}

// Sessions returns how many sessions were counted and are remembered.
func (l *Ledger) Sessions() int { return l.seen[seenSession].Len() }

// LastActivity returns the time of the newest line, in milliseconds since the
// epoch; 0 when there was none.
func (l *Ledger) LastActivity() int64 {
	var last uint64
	for _, s := range l.tables[lastActivity].inOrder {
		last = max(last, s.value)
	}
	return int64(last)
}

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
	Live      []Session      // the newest first
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
	l.prune(now)
	if s.Showing = l.showings; l.Unshown() {
		s.Showing++
	}
	s.Live = l.liveSessions(s.Live[:0], now)
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
	if len(t.foreign) > 0 {
		t.fillSums(to, revealed)
		return
	}
	for _, s := range t.inOrder[len(to.Samples):] {
		to.Samples = append(to.Samples, Sample{Labels: s.labels, Source: s.source})
	}
	for i, s := range t.inOrder {
		to.Samples[i].fill(s, t.Type == Gauge || s.shown != 0 && s.shown <= revealed)
	}
}

// fillSums shows series as one that only differ in labels that this version does not
// know. Its created timestamp is that of those that were shown: it stays the same.
func (t *table) fillSums(to *FamilySamples, revealed uint64) {
	type group struct {
		at    int
		shown bool
	}
	groups := make(map[string]group, len(to.Samples))
	var one Sample
	for _, s := range t.inOrder {
		labels := s.labels[:len(t.Labels)]
		id := string(seriesID(nil, s.source, labels))
		one.Value, one.Sum = 0, 0
		one.fill(s, t.Type == Gauge || s.shown != 0 && s.shown <= revealed)
		g, again := groups[id]
		if !again {
			if g.at = len(groups); g.at == len(to.Samples) {
				to.Samples = append(to.Samples, Sample{Labels: labels, Source: s.source})
			}
			to.Samples[g.at].set(&one)
		} else {
			sample := &to.Samples[g.at]
			switch {
			case s.shown == 0 && g.shown:
			case s.shown != 0 && !g.shown:
				sample.Created = one.Created
			default:
				sample.Created = min(sample.Created, one.Created)
			}
			sample.add(&one, t.Type)
		}
		g.shown = g.shown || s.shown != 0
		groups[id] = g
	}
}

// set makes the numbers of a sample those of another one.
func (to *Sample) set(from *Sample) {
	to.Value, to.Sum, to.Created = from.Value, from.Sum, from.Created
	to.Counts = append(to.Counts[:0], from.Counts...)
}

// add adds the numbers of another sample of the same family.
func (to *Sample) add(from *Sample, t Type) {
	if t == Gauge {
		to.Value = max(to.Value, from.Value)
	} else {
		to.Value = sum(to.Value, from.Value)
	}
	to.Sum = sum(to.Sum, from.Sum)
	for i, n := range from.Counts {
		to.Counts[i] = sum(to.Counts[i], n)
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

package ledger

// A Snapshot is a ledger at one moment, as a scrape shows it. It belongs to
// whoever has it filled, and is filled again and again by one ledger: what is
// in a place then stays there, be it a family or a series, and only its numbers
// change.
type Snapshot struct {
	Families   []FamilySamples
	Live       []Session      // the newest first
	Unsettled  int            // messages held back
	Remembered map[string]int // keys, by what they stand for
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
	New     bool  // no scrape has shown it before, nor does this one show more than a zero
}

// Series returns how many series there are. None ever goes.
func (l *Ledger) Series() int {
	n := 0
	for i := range l.tables {
		n += len(l.tables[i].inOrder)
	}
	return n
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

// Show notes that a scrape has shown every series that there is.
func (l *Ledger) Show() {
	for i := range l.tables {
		t := &l.tables[i]
		if t.unshown == 0 {
			continue
		}
		for _, s := range t.inOrder {
			s.shown = true
		}
		t.unshown = 0
	}
}

// Fill makes s what a scrape at the time now shows. A series that no scrape has
// shown before is zero in it: only then does a server that computes an increase
// see all that happened since.
//
// What s was filled with before, by the same ledger, is overwritten in place:
// the time and memory that this takes is that of the numbers, save for series
// that are new.
func (l *Ledger) Fill(s *Snapshot, now int64) {
	l.prune(now)
	s.Live = l.liveSessions(s.Live[:0], now)
	s.Unsettled = l.Unsettled()
	s.Remembered = l.Remembered()
	if s.Families == nil {
		s.Families = make([]FamilySamples, len(l.tables))
		for i := range s.Families {
			s.Families[i].Family = new(Family)
		}
	}
	for i := range l.tables {
		l.tables[i].fill(&s.Families[i])
	}
}

func (t *table) fill(to *FamilySamples) {
	*to.Family = t.Family // Configure changes the ledger's own
	for _, s := range t.inOrder[len(to.Samples):] {
		to.Samples = append(to.Samples, Sample{Labels: s.labels, Source: s.source})
	}
	for i, s := range t.inOrder {
		t.sample(&to.Samples[i], s)
	}
}

func (t *table) sample(to *Sample, s *series) {
	to.Created, to.New = s.created, !s.shown && t.Type != Gauge
	to.Counts = append(to.Counts[:0], s.counts...)
	if !to.New {
		to.Value, to.Sum = s.value, s.sum
	} else {
		clear(to.Counts)
	}
}

// Sessions returns how many sessions were counted and are remembered.
func (l *Ledger) Sessions() int { return l.seen[seenSession].len() }

// LastActivity returns the time of the newest line, in milliseconds since the
// epoch; 0 when there was none.
func (l *Ledger) LastActivity() int64 {
	var last uint64
	for _, s := range l.tables[lastActivity].inOrder {
		last = max(last, s.value)
	}
	return int64(last)
}

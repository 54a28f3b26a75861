package ledger

// A Snapshot is a ledger at one moment, as a scrape shows it.
type Snapshot struct {
	Families   []FamilySamples
	Live       []Session      // the newest first
	Unsettled  int            // messages held back
	Remembered map[string]int // keys, by what they stand for
}

// FamilySamples are the series of a family.
type FamilySamples struct {
	Family  *Family
	Samples []Sample
}

// A Sample is one series at one moment. Its slices must not be changed.
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

// Show notes that a scrape has shown every series that there is.
func (l *Ledger) Show() {
	for i := range l.tables {
		t := &l.tables[i]
		if t.unshown == 0 {
			continue
		}
		for _, s := range t.series {
			s.shown = true
		}
		t.unshown = 0
	}
}

// Snapshot returns what a scrape at the time now shows. A series that no
// scrape has shown before is zero in it: only then does a server that computes
// an increase see all that happened since.
func (l *Ledger) Snapshot(now int64) Snapshot {
	l.prune(now)
	s := Snapshot{Live: l.liveSessions(now), Unsettled: l.Unsettled(), Remembered: l.Remembered()}
	for i := range l.tables {
		t := &l.tables[i]
		samples := make([]Sample, 0, len(t.series))
		for _, one := range t.series {
			samples = append(samples, t.sample(one))
		}
		family := t.Family // Configure changes the ledger's own
		s.Families = append(s.Families, FamilySamples{&family, samples})
	}
	return s
}

func (t *table) sample(s *series) Sample {
	out := Sample{Labels: s.labels, Source: s.source, Created: s.created}
	if t.Type == Histogram {
		out.Counts = make([]uint64, len(s.counts))
	}
	if s.shown || t.Type == Gauge {
		out.Value, out.Sum = s.value, s.sum
		copy(out.Counts, s.counts)
	}
	return out
}

// Sessions returns how many sessions were counted and are remembered.
func (l *Ledger) Sessions() int { return l.seen[seenSession].len() }

// LastActivity returns the time of the newest line, in milliseconds since the
// epoch; 0 when there was none.
func (l *Ledger) LastActivity() int64 {
	var last uint64
	for _, s := range l.tables[lastActivity].series {
		last = max(last, s.value)
	}
	return int64(last)
}

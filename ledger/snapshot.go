package ledger

import (
	"maps"
	"slices"
)

// A Snapshot is a ledger at one moment, as a scrape shows it. It belongs to
// whoever has it filled, and is filled again and again by one ledger: what is
// in a place then stays there, be it a family or a series, and only its numbers
// change.
type Snapshot struct {
	Families  []FamilySamples
	Live      []Session      // the newest first; of very many, some of the newest
	Active    []Active       // live sessions, all of them, by project
	Unsettled int            // messages held back
	DedupKeys map[string]int // number of keys, by kind
}

// FamilySamples are the series of a family, in the order in which they came.
type FamilySamples struct {
	Family  *Family
	Samples []Sample
}

// A Sample is one series at one moment. Its labels must not be changed.
type Sample struct {
	Labels  []string // values for Family.Labels
	Source  SourceLabels
	Value   uint64 // of a counter or gauge; the count of a histogram; times Family.Scale
	Sum     uint64 // of a histogram; times Family.Scale
	Counts  []uint64
	Created int64 // of the first event, in milliseconds since the epoch
}

// Fill makes s what a scrape at the time now exposes. A series is 0 in it until it
// has been released. The ledger is not changed.
//
// What s was filled with before, by the same ledger, is overwritten in place:
// the time and memory that this takes is that of the numbers, save for series
// that are new.
func (l *Ledger) SnapshotInto(s *Snapshot, now int64) {
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
		l.tables[i].fill(&s.Families[i], &l.zeroFirst)
	}
}

// Clone returns a copy that shares nothing with s that Fill overwrites.
func (s *Snapshot) Clone() Snapshot {
	c := *s
	c.Families = slices.Clone(s.Families)
	for i := range c.Families {
		f := &c.Families[i]
		family := *f.Family
		f.Family, f.Samples = &family, slices.Clone(f.Samples)
		for j := range f.Samples {
			f.Samples[j].Counts = slices.Clone(f.Samples[j].Counts)
		}
	}
	c.Live, c.DedupKeys = slices.Clone(s.Live), maps.Clone(s.DedupKeys)
	return c
}

func (t *table) fill(to *FamilySamples, z *zeroFirst) {
	*to.Family = t.Family // Configure changes the ledger's own
	if len(t.foreign) > 0 {
		t.fillSums(to, z)
		return
	}
	for _, s := range t.inOrder[len(to.Samples):] {
		to.Samples = append(to.Samples, Sample{Labels: s.labels, Source: s.source})
	}
	for i, s := range t.inOrder {
		to.Samples[i].fill(s, z.hides(s))
	}
}

// fillSums exposes series as one that differ only in labels that this version does not
// know. Its created timestamp is that of those that were exposed: it stays the same.
func (t *table) fillSums(to *FamilySamples, z *zeroFirst) {
	type group struct {
		at      int
		exposed bool
	}
	groups := make(map[string]group, len(to.Samples))
	var one Sample
	for _, s := range t.inOrder {
		labels := s.labels[:len(t.Labels)]
		id := string(seriesID(nil, s.source, labels))
		one.Value, one.Sum = 0, 0
		one.fill(s, z.hides(s))
		exposed := s.number <= z.exposed
		g, again := groups[id]
		if !again {
			if g.at = len(groups); g.at == len(to.Samples) {
				to.Samples = append(to.Samples, Sample{Labels: labels, Source: s.source})
			}
			to.Samples[g.at].set(&one)
		} else {
			sample := &to.Samples[g.at]
			switch {
			case !exposed && g.exposed:
			case exposed && !g.exposed:
				sample.Created = one.Created
			default:
				sample.Created = min(sample.Created, one.Created)
			}
			sample.add(&one, t.Type)
		}
		g.exposed = g.exposed || exposed
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

func (to *Sample) fill(s *series, hidden bool) {
	to.Created = s.created
	to.Counts = append(to.Counts[:0], s.counts...)
	to.Value, to.Sum = s.value, s.sum
	if hidden {
		to.Value, to.Sum = 0, 0
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

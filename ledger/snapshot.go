package ledger

import (
	"maps"
	"slices"
)

// A Snapshot is a ledger at one moment, as a scrape exposes it. One ledger fills it
// again and again: families and series keep their indexes, and only their numbers
// change. It belongs to the caller of SnapshotInto.
type Snapshot struct {
	Families  []FamilySamples
	Live      []Session      // the newest first; of very many, some of the newest
	Active    []Active       // number of all live sessions, by project
	Unsettled int            // number of messages held
	DedupKeys map[string]int // number of keys, by kind
	Prices    PriceTable     // the present prices; zero if there are none
	Versions  []UsedVersion  // the newest ones of each source
}

// A PriceTable describes Options.Prices.
type PriceTable struct {
	Updated  string // the date of the built-in prices
	Overlaid bool   // the configuration adds or replaces some
}

// FamilySamples are the series of a family, in the order in which they were created.
type FamilySamples struct {
	Family  *Family
	Samples []Sample
	// Hidden families are not exposed at present. They keep their samples.
	Hidden bool
}

// A Sample is one series at one moment. Its labels must not be changed.
type Sample struct {
	Labels  []string // values for Family.Labels
	Source  SourceLabels
	Value   uint64 // of a counter or gauge, see Family.InUnit; the count of a histogram
	Sum     uint64 // of a histogram, see Family.InUnit
	Counts  []uint64
	Native  *NativeHistogram // of a histogram; without all its observations, it is not exposed
	Created int64            // time of the first event, in milliseconds since the epoch
}

// SnapshotInto sets s to the counters that a scrape at the time now exposes. A series
// is 0 in it until it is released. The ledger is not changed.
//
// What the same ledger wrote into s before is overwritten in place: only new series
// need memory.
func (l *Ledger) SnapshotInto(s *Snapshot, now int64) {
	s.Live = l.liveSessions(s.Live[:0], now)
	s.Active = l.activeSessions(s.Active[:0], now)
	s.Unsettled = l.Unsettled()
	s.DedupKeys = l.DedupKeys()
	s.Prices = l.priceTable()
	s.Versions = l.versions.shown(s.Versions)
	if s.Families == nil {
		s.Families = make([]FamilySamples, len(l.tables))
		for i := range s.Families {
			s.Families[i].Family = new(Family)
		}
	}
	for i := range l.tables {
		l.tables[i].fill(&s.Families[i], &l.zeroFirst)
		s.Families[i].Hidden = l.tables[i].Priced && l.opts.Prices == nil
	}
}

func (l *Ledger) priceTable() PriceTable {
	if l.opts.Prices == nil {
		return PriceTable{}
	}
	return PriceTable{l.opts.Prices.Updated, l.opts.Prices.Overlaid()}
}

// Clone returns a copy that shares nothing with s that SnapshotInto overwrites.
func (s *Snapshot) Clone() Snapshot {
	c := *s
	c.Families = slices.Clone(s.Families)
	for i := range c.Families {
		f := &c.Families[i]
		family := *f.Family
		f.Family, f.Samples = &family, slices.Clone(f.Samples)
		for j := range f.Samples {
			f.Samples[j].Counts = slices.Clone(f.Samples[j].Counts)
			f.Samples[j].Native = f.Samples[j].Native.clone()
		}
	}
	c.Live, c.Active, c.DedupKeys = slices.Clone(s.Live), slices.Clone(s.Active), maps.Clone(s.DedupKeys)
	c.Versions = slices.Clone(s.Versions)
	return c
}

func (t *table) fill(to *FamilySamples, z *zeroFirst) {
	*to.Family = t.Family // Configure changes the ledger's own
	if len(t.foreign) > 0 {
		t.fillSums(to, z)
		return
	}
	for _, s := range t.inOrder[len(to.Samples):] {
		to.Samples = append(to.Samples, Sample{Labels: s.Labels, Source: s.Source})
	}
	for i, s := range t.inOrder {
		to.Samples[i].set(s, z.hidden(s))
	}
}

// fillSums exposes series that differ only in foreign labels as one. Its created
// timestamp is that of those that were exposed, so that it does not change.
func (t *table) fillSums(to *FamilySamples, z *zeroFirst) {
	type group struct {
		index   int
		exposed bool
	}
	groups := make(map[string]group, len(to.Samples))
	for _, s := range t.inOrder {
		labels := s.Labels[:len(t.Labels)]
		id := string(seriesID(nil, s.Source, labels))
		exposed := s.number <= z.exposed
		g, again := groups[id]
		if !again {
			if g.index = len(groups); g.index == len(to.Samples) {
				to.Samples = append(to.Samples, Sample{Labels: labels, Source: s.Source})
			}
			to.Samples[g.index].set(s, z.hidden(s))
			groups[id] = group{g.index, exposed}
			continue
		}
		sample := &to.Samples[g.index]
		switch {
		case exposed && !g.exposed:
			sample.Created = s.Created
		case exposed == g.exposed:
			sample.Created = min(sample.Created, s.Created)
		}
		if !z.hidden(s) {
			sample.add(&s.Sample, t.Type)
		}
		groups[id] = group{g.index, g.exposed || exposed}
	}
}

// set sets the numbers of a sample to those of a series, or to 0 if it is hidden.
func (to *Sample) set(s *series, hidden bool) {
	to.Value, to.Sum, to.Created = s.Value, s.Sum, s.Created
	to.Counts = append(to.Counts[:0], s.Counts...)
	to.Native = s.Native.copyTo(to.Native)
	if hidden {
		to.Value, to.Sum = 0, 0
		clear(to.Counts)
		to.Native.reset()
	}
}

// add adds the numbers of another sample of the same family.
func (to *Sample) add(other *Sample, t Type) {
	if t == Gauge {
		to.Value = max(to.Value, other.Value)
	} else {
		to.Value = SaturatingAdd(to.Value, other.Value)
	}
	to.Sum = SaturatingAdd(to.Sum, other.Sum)
	for i, n := range other.Counts {
		to.Counts[i] = SaturatingAdd(to.Counts[i], n)
	}
	to.Native.add(other.Native)
}

// Sessions returns the number of sessions that were counted and are remembered.
func (l *Ledger) Sessions() int { return l.seen[seenSession].Len() }

// LastActivity returns the time of the newest line, in milliseconds since the
// epoch; 0 if there was none.
func (l *Ledger) LastActivity() int64 {
	var last uint64
	for _, s := range l.tables[lastActivity].inOrder {
		last = max(last, s.Value)
	}
	return int64(last)
}

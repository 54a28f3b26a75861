package ledger

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
)

// A Snapshot is a ledger at one moment, as a scrape exposes it. One ledger fills it
// again and again: families and series keep their indexes, and only their numbers
// change. It belongs to the caller of SnapshotInto.
type Snapshot struct {
	Families  []counters.FamilySamples
	Live      []Session      // the newest first; of very many of a source, some of the newest
	Active    []Active       // number of all live sessions, by project
	Unsettled int            // number of messages held
	DedupKeys map[string]int // number of keys, by kind
	Prices    PriceTable     // the present prices; zero without prices
	Versions  []UsedVersion  // the newest versions of each source
}

// A PriceTable describes Options.Prices.
type PriceTable struct {
	Updated  string // the date of the built-in prices
	Overlaid bool   // the configuration adds or replaces some
}

// SnapshotInto sets s to the counters that a scrape at the time now exposes. A series
// is 0 in it until it is released. The ledger is not changed.
//
// Series that the same ledger wrote into s before are overwritten in place: only new
// series need memory.
func (l *Ledger) SnapshotInto(s *Snapshot, now int64) {
	s.Live = l.sessions.appendLive(s.Live[:0], now)
	s.Active = l.sessions.appendActive(s.Active[:0], now)
	s.Unsettled = l.Unsettled()
	s.DedupKeys = l.DedupKeys()
	s.Prices = l.Prices()
	s.Versions = l.versions.shown(s.Versions)
	l.set.SnapshotInto(&s.Families)
}

// Prices describes the present prices; it is zero without prices.
func (l *Ledger) Prices() PriceTable {
	if l.opts.Prices == nil {
		return PriceTable{}
	}
	return PriceTable{l.opts.Prices.Updated, l.opts.Prices.Overlaid()}
}

// Clone returns a copy that SnapshotInto does not overwrite.
func (s *Snapshot) Clone() Snapshot {
	c := *s
	c.Families = counters.Clone(s.Families)
	c.Live, c.Active, c.DedupKeys = slices.Clone(s.Live), slices.Clone(s.Active), maps.Clone(s.DedupKeys)
	c.Versions = slices.Clone(s.Versions)
	return c
}

// History returns the record of when the counters grew.
func (l *Ledger) History() counters.History { return l.set.History() }

// Sessions returns the number of sessions that were counted and are remembered.
func (l *Ledger) Sessions() int { return l.sessions.seen.Len() }

// LastActivity returns the time of the newest line, in milliseconds since the
// epoch; 0 if there was none.
func (l *Ledger) LastActivity() int64 {
	return int64(l.set.Max(l.sessions.families.lastActivity))
}

package watcher

import "sync/atomic"

// Stats are statistics of a Watcher.
type Stats struct {
	Events     uint64 // events from the system since the start
	Overflows  uint64 // errors of the event queue; events may be lost
	Scans      uint64 // number of complete walks
	Watched    int    // number of watched directories
	Unreadable int    // number of directories that the last walk could not read
	Polling    bool   // events were unavailable at the last walk
}

// counters hold the values of Stats.
type counters struct {
	events, overflows, scans atomic.Uint64
	watched, unreadable      atomic.Int64
	polling                  atomic.Bool
}

// Stats returns the current statistics. They are read one by one, so they need not be
// consistent.
func (w *Watcher) Stats() Stats {
	return Stats{
		Events:     w.stats.events.Load(),
		Overflows:  w.stats.overflows.Load(),
		Scans:      w.stats.scans.Load(),
		Watched:    int(w.stats.watched.Load()),
		Unreadable: int(w.stats.unreadable.Load()),
		Polling:    w.stats.polling.Load(),
	}
}

package watcher

import "sync/atomic"

// Stats are the watcher's own numbers at one moment.
type Stats struct {
	Events     uint64 // from the system, of any kind, since the beginning
	Overflows  uint64 // times that events were lost, or that their source failed
	Scans      uint64 // complete walks
	Watched    int    // directories watched now
	Unreadable int    // directories that the last walk could not read
	Polling    bool   // there are no events, only walks: the last one found it so
}

// counters are what Stats is made of.
type counters struct {
	events, overflows, scans atomic.Uint64
	watched, unreadable      atomic.Int64
	polling                  atomic.Bool
}

// Stats returns the numbers. They are read one by one, so they need not be of the very same moment.
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

package watcher

import (
	"sync/atomic"
	"time"
)

// Stats are statistics of a Watcher.
type Stats struct {
	Events     uint64 // events from the system since the start
	Overflows  uint64 // errors of the event queue, after which events may be lost
	Scans      uint64 // number of complete walks
	Watched    int    // number of watched directories
	Files      int    // number of files watched one by one
	Unreadable int    // number of directories that the last walk could not read
	Polling    bool   // events were unavailable at the last walk

	// Intervals are the present times between the checks of each tier while polling, and
	// 0 otherwise.
	Intervals [TierCount]time.Duration
}

// counters hold the values of Stats.
type counters struct {
	events, overflows, scans atomic.Uint64
	watched, unreadable      atomic.Int64
	files                    atomic.Int64
	polling                  atomic.Bool
	intervals                [TierCount]atomic.Int64
}

// Stats returns the current statistics. They are read one by one, so they need not be
// consistent.
func (w *Watcher) Stats() Stats {
	s := Stats{
		Events:     w.stats.events.Load(),
		Overflows:  w.stats.overflows.Load(),
		Scans:      w.stats.scans.Load(),
		Watched:    int(w.stats.watched.Load()),
		Unreadable: int(w.stats.unreadable.Load()),
		Files:      int(w.stats.files.Load()),
		Polling:    w.stats.polling.Load(),
	}
	for t := range s.Intervals {
		s.Intervals[t] = time.Duration(w.stats.intervals[t].Load())
	}
	return s
}

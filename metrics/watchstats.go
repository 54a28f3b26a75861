package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// WatchStats are the statistics of a watcher of directories.
type WatchStats struct {
	Events     uint64 // file events received by this watcher
	Overflows  uint64 // times that file events were lost
	Scans      uint64 // scans of all directories
	Watched    int    // directories currently watched for file events
	Unreadable int    // directories that the last scan could not read
	Polling    bool   // directories are not watched for file events
}

// Watch replaces the watcher whose stats are exposed. Every scrape calls stats. The
// counters continue where the previous watcher stopped.
func (d *Daemon) Watch(stats func() WatchStats) { d.watch.replace(stats) }

// watchTotals adds up the counts of consecutive watchers: a reload creates a new
// watcher, and the counters must not start again from zero.
type watchTotals struct {
	mu       sync.Mutex
	previous WatchStats // the counts of the previous watchers
	current  func() WatchStats
}

func (w *watchTotals) replace(stats func() WatchStats) {
	w.mu.Lock()
	defer w.mu.Unlock()
	total := w.totalLocked()
	w.previous = WatchStats{Events: total.Events, Overflows: total.Overflows, Scans: total.Scans}
	w.current = stats
}

// totalLocked returns the current watcher's stats, plus the counts of its predecessors.
func (w *watchTotals) totalLocked() WatchStats {
	if w.current == nil {
		return w.previous
	}
	s := w.current()
	s.Events += w.previous.Events
	s.Overflows += w.previous.Overflows
	s.Scans += w.previous.Scans
	return s
}

func (w *watchTotals) register(f factory) {
	reader := func(value func(WatchStats) float64) func() float64 {
		return func() float64 {
			w.mu.Lock()
			defer w.mu.Unlock()
			return value(w.totalLocked())
		}
	}
	counter := func(name, help string, value func(WatchStats) float64) {
		f.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, reader(value))
	}
	gauge := func(name, help string, value func(WatchStats) float64) {
		f.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, reader(value))
	}
	counter("watch_events_total", "Number of file events received from the operating system.",
		func(s WatchStats) float64 { return float64(s.Events) })
	counter("watch_overflows_total", "Number of times that the operating system lost file events.",
		func(s WatchStats) float64 { return float64(s.Overflows) })
	counter("scans_total", "Number of scans of the transcript directories.",
		func(s WatchStats) float64 { return float64(s.Scans) })
	gauge("watched_directories", "Number of directories watched for file events.",
		func(s WatchStats) float64 { return float64(s.Watched) })
	gauge("unreadable_directories", "Number of directories that the last scan could not read.",
		func(s WatchStats) float64 { return float64(s.Unreadable) })
	gauge("watch_polling", "Whether directories are checked for changes (1) or watched for file events (0).",
		func(s WatchStats) float64 {
			if s.Polling {
				return 1
			}
			return 0
		})
}

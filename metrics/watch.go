package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// WatchStats are what a watcher of directories tells about itself.
type WatchStats struct {
	Events     uint64 // notifications that came, since it was made
	Overflows  uint64 // times that notifications were lost, since it was made
	Scans      uint64 // walks of all directories, since it was made
	Watched    int    // directories that notifications come from now
	Unreadable int    // directories that its last walk could not read
	Polling    bool   // it polls, since it cannot have notifications
}

// Watch shows the stats of a watcher, which are asked for in every scrape, in
// place of those of the watcher before. What was counted goes on from there.
func (d *Daemon) Watch(stats func() WatchStats) { d.watch.follow(stats) }

// A watch adds up what one watcher after another has counted: a reload makes a
// new one, and a counter must not start again for that.
type watch struct {
	mu      sync.Mutex
	before  WatchStats // the counts of the watchers before
	current func() WatchStats
}

func (w *watch) follow(stats func() WatchStats) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.locked()
	w.before = WatchStats{Events: now.Events, Overflows: now.Overflows, Scans: now.Scans}
	w.current = stats
}

func (w *watch) stats() WatchStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.locked()
}

func (w *watch) locked() WatchStats {
	if w.current == nil {
		return w.before
	}
	s := w.current()
	s.Events += w.before.Events
	s.Overflows += w.before.Overflows
	s.Scans += w.before.Scans
	return s
}

func (w *watch) register(f factory) {
	counter := func(name, help string, value func(WatchStats) float64) {
		registered(f, prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help},
			func() float64 { return value(w.stats()) }))
	}
	gauge := func(name, help string, value func(WatchStats) float64) {
		registered(f, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help},
			func() float64 { return value(w.stats()) }))
	}
	counter("watch_events_total", "Notifications of changes that came from the operating system.",
		func(s WatchStats) float64 { return float64(s.Events) })
	counter("watch_overflows_total", "Times that the operating system lost notifications; a walk makes good for it.",
		func(s WatchStats) float64 { return float64(s.Overflows) })
	counter("scans_total", "Walks of the directories of transcripts.",
		func(s WatchStats) float64 { return float64(s.Scans) })
	gauge("watched_directories", "Directories from which notifications come.",
		func(s WatchStats) float64 { return float64(s.Watched) })
	gauge("watch_polling", "1 while changes are only found by polling, 0 while notifications come.",
		func(s WatchStats) float64 { return boolean(s.Polling) })
	gauge("unreadable_directories", "Directories that the last walk could not read.",
		func(s WatchStats) float64 { return float64(s.Unreadable) })
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A watch is a running watcher.
type watch struct {
	*watcher.Watcher
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// watching returns what the watcher is to do about the sources.
func (f *follower) watching() watcher.Options {
	o := watcher.Options{Match: transcript.IsTranscript, SkipDir: transcript.SkipDir}
	for _, s := range f.sources {
		o.Roots = append(o.Roots, s.path)
	}
	return o
}

// newWatch begins to watch the sources of the engine.
func newWatch(e *engine) *watch {
	o := e.watching()
	o.ScanInterval, o.PollInterval, o.MaxWatches = e.settings.Scan, e.settings.Poll, e.settings.MaxWatches
	o.Logger = e.Logger
	o.OnScan = func(took time.Duration) { e.Metrics.ScanDuration.Observe(took.Seconds()) }
	ctx, cancel := context.WithCancel(context.Background())
	w := &watch{Watcher: watcher.New(o), cancel: cancel}
	w.running.Go(func() {
		if err := w.Run(ctx); err != nil && ctx.Err() == nil {
			e.Logger.Error("Stopped watching", "err", err)
		}
	})
	e.Metrics.Watch(w.health)
	return w
}

// health tells of the watcher as its metrics have it.
func (w *watch) health() metrics.WatchStats {
	s := w.Stats()
	return metrics.WatchStats{
		Events: s.Events, Overflows: s.Overflows, Scans: s.Scans, Watched: s.Watched,
		Unreadable: s.Unreadable, Polling: s.Polling,
	}
}

// pending reports whether there is something to take.
func (w *watch) pending() bool {
	select {
	case <-w.Wake():
		return true
	default:
		return false
	}
}

// stop ends the watcher and waits for its goroutines.
func (w *watch) stop() {
	w.cancel()
	w.running.Wait()
}

package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A watch is a running watcher.
type watch struct {
	*watcher.Watcher
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func startWatch(d *Daemon, o watcher.Options) *watch {
	s := d.settings.Load()
	o.ScanInterval, o.PollInterval, o.MaxWatches, o.Logger = s.Scan, s.Poll, s.MaxWatches, d.log
	o.OnScan = func(took time.Duration) { d.metrics.ScanDuration.Observe(took.Seconds()) }
	ctx, cancel := context.WithCancel(context.Background())
	w := &watch{Watcher: watcher.New(o), cancel: cancel}
	w.running.Go(func() {
		if err := w.Run(ctx); err != nil && ctx.Err() == nil {
			d.log.Error("Watcher failed, changes are no longer detected", "err", err)
		}
	})
	d.metrics.Watch(w.health)
	return w
}

func (w *watch) health() metrics.WatchStats {
	s := w.Stats()
	return metrics.WatchStats{
		Events: s.Events, Overflows: s.Overflows, Scans: s.Scans, Watched: s.Watched,
		Unreadable: s.Unreadable, Polling: s.Polling,
	}
}

// pending reports whether there is an update.
func (w *watch) pending() bool {
	select {
	case <-w.Wake():
		return true
	default:
		return false
	}
}

// stop stops the watcher and waits for its goroutines.
func (w *watch) stop() {
	w.cancel()
	w.running.Wait()
}

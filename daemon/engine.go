package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// tick is how often the engine looks whether something is due.
const tick = time.Second

// An engine is the one goroutine that reads and counts.
type engine struct {
	*Daemon
	*follower
	watch     *watch
	saved     time.Time // when the last snapshot was written or tried
	forgotten time.Time // when old keys were last looked for
	unsafe    bool      // the last snapshot could not be written
	anew      bool      // the sources have not been walked yet

	syncing    atomic.Bool
	background sync.WaitGroup
}

func newEngine(d *Daemon) *engine {
	f := newFollower(d.counted, d.settings.MaxLine, d.Now)
	e := &engine{Daemon: d, follower: f}
	e.configure(d.settings.Sources())
	return e
}

// configure puts the settings in force and begins to watch.
func (e *engine) configure(sources []Source) {
	e.follower.configure(e.settings.Labeller, sources)
	trees := make([]metrics.Tree, len(sources))
	for i, s := range sources {
		trees[i] = metrics.Tree{Path: s.Path, Labels: len(s.Labels)}
	}
	e.trees.Store(&trees)
	e.maxSessions.Store(int64(e.settings.MaxSessions))
	e.watch, e.anew = newWatch(e), true
}

// stop ends the goroutines of the engine.
func (e *engine) stop() {
	e.watch.stop()
	e.background.Wait()
}

// end saves the state at the end of Run, whose error is err.
func (e *engine) end(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = nil // we were asked to stop
	}
	return errors.Join(err, e.save())
}

func (e *engine) loop(ctx context.Context) error {
	due := time.NewTicker(tick)
	defer due.Stop()
	syncs := time.NewTimer(e.settings.Sync)
	defer syncs.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.watch.Wake():
			e.update(ctx, e.watch.Take())
		case <-due.C:
			e.due(ctx)
		case <-syncs.C:
			e.sync()
			syncs.Reset(e.settings.Sync)
		case done := <-e.reloads:
			done <- e.reload()
		}
	}
}

// update reads what the watcher found.
func (e *engine) update(ctx context.Context, u watcher.Update) {
	roots := e.openRoots()
	defer roots.close()
	if u.Tree != nil {
		e.walked(ctx, roots, u)
	}
	for _, name := range u.Dirty {
		e.one(ctx, roots, name)
	}
	e.Metrics.Backlog.Set(float64(e.backlog))
	if int(e.files.Load()) != len(e.found) {
		e.tell()
	}
	if u.Tree != nil {
		e.refresh()
	}
}

// one reads what is new in one file.
func (e *engine) one(ctx context.Context, roots roots, name watcher.File) {
	before := e.offsetOf(name)
	if err := e.follow(ctx, roots, name); err != nil && ctx.Err() == nil {
		// The name of the file would be telling; the kind of error is not.
		e.Logger.Warn("Failed to read a file, will try again", "source", e.sources[name.Root].path, "err", cause(err))
	}
	at := e.found[name]
	if at == nil || at.offset == before {
		return
	}
	if e.ready.Load() {
		e.Metrics.Delivery.Observe(max(0, e.now().Sub(at.modified).Seconds()))
	}
}

func (e *engine) offsetOf(name watcher.File) int64 {
	if at := e.found[name]; at != nil {
		return at.offset
	}
	return 0
}

// cause returns an error without the names of files around it.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// walked compares the trees with what is known of them.
func (e *engine) walked(ctx context.Context, roots roots, u watcher.Update) {
	for _, found := range u.Tree {
		if e.stale(found) {
			e.one(ctx, roots, found.File)
		}
	}
	now := e.now().UnixMilli()
	for name, at := range e.found {
		if !u.Gone(name) || ctx.Err() != nil {
			continue
		}
		e.vanish(name)
		if _, elsewhere := e.names[at.id]; !elsewhere && at.id != 0 {
			e.shared.do(&goneStep{id: at.id, now: now})
		}
	}
	if e.anew && ctx.Err() == nil {
		e.anew = false
		e.missing()
	}
	e.tell()
}

// stale reports whether a file looks other than when it was read last.
func (e *engine) stale(f watcher.Found) bool {
	at := e.found[f.File]
	return at == nil || at.failing || at.size != f.Info.Size() || !at.modified.Equal(f.Info.ModTime())
}

// tell sets the metrics that follow from which files there are.
func (e *engine) tell() {
	var failing, agents, mains float64
	for name, at := range e.found {
		switch {
		case transcript.KindOf(name.Rel).Agent():
			agents++
		default:
			mains++
		}
		if at.failing {
			failing++
		}
	}
	e.Metrics.Files.WithLabelValues("session").Set(mains)
	e.Metrics.Files.WithLabelValues("subagent").Set(agents)
	e.Metrics.UnreadableFiles.Set(failing)
	e.files.Store(int64(len(e.found)))
}

// due does what is due by time.
func (e *engine) due(ctx context.Context) {
	e.quiet(ctx, e.settings.Settle)
	now := e.now()
	if now.Sub(e.forgotten) >= 24*time.Hour {
		e.forget(now)
	}
	failed, since := e.shared.failure(), now.Sub(e.saved)
	journal, snapshot := e.shared.sizes()
	if (failed != nil || e.unsafe) && since >= retrySave || e.settings.worthSaving(journal, snapshot, since) {
		if failed != nil {
			e.Metrics.CheckpointFailures.Inc()
			e.Logger.Error("Failed to write the journal", "err", failed)
		}
		if err := e.save(); err != nil {
			e.Logger.Error("Failed to save the state, will try again", "err", err)
		}
	}
}

// roots are the open directories of the sources, by their place in the list;
// nil where there is none now.
type roots []*os.Root

func (f *follower) openRoots() roots {
	all := make(roots, len(f.sources))
	for i, s := range f.sources {
		if root, err := os.OpenRoot(s.path); err == nil {
			all[i] = root
		}
	}
	return all
}

func (r roots) close() {
	for _, root := range r {
		if root != nil {
			_ = root.Close()
		}
	}
}

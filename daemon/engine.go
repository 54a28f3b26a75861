package daemon

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// tick is how often the engine looks whether something is due by time. Nothing
// is due to the second, and each look wakes a process that mostly sleeps.
const tick = 10 * time.Second

// An engine is the one goroutine that reads and counts.
type engine struct {
	*Daemon
	*follower
	watch        *watch
	saved        time.Time // when the last snapshot was written or tried
	forgotten    time.Time // when old keys were last looked for
	writeBlocked bool      // nothing can be written, and that was told
	zero         zeroWindow

	unsafe     atomic.Bool // what was written last may not be on the disk
	syncing    atomic.Bool
	background sync.WaitGroup
}

func newEngine(d *Daemon) *engine {
	f := newFollower(d.counted, d.settings.MaxLine, d.Now)
	for _, id := range d.counted.allRestless() {
		f.awake[id] = &foundFile{id: id, waits: true}
	}
	f.alive, f.unknown = d.Alive, d.unknown
	f.tellBacklog = func(bytes int64) {
		d.Metrics.Backlog.Set(float64(bytes))
		d.behind.Store(bytes)
	}
	e := &engine{Daemon: d, follower: f}
	e.configure(d.settings.Sources())
	return e
}

// configure puts the settings in force and begins to watch.
func (e *engine) configure(sources []Source) {
	e.follower.configure(e.settings.Labeller, sources)
	trees := make([]metrics.WatchedDir, len(sources))
	for i, s := range sources {
		trees[i] = metrics.WatchedDir{Path: s.Path, Labels: len(s.Labels)}
	}
	e.trees.Store(&trees)
	e.maxSessions.Store(int64(e.settings.MaxSessions))
	e.watch = newWatch(e)
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
	due := time.NewTimer(0)
	defer due.Stop()
	zero := time.NewTimer(0)
	defer zero.Stop()
	// What was appended to the journal is synced a while later, with all that
	// was appended meanwhile.
	var syncs <-chan time.Time
	appended := e.shared.appended
	for {
		e.alive()
		e.watchZero(zero)
		select {
		case <-ctx.Done():
			return nil
		case <-e.watch.Wake():
			e.update(ctx, e.watch.Take())
		case <-due.C:
			e.due(ctx)
			due.Reset(min(e.tick, e.settings.MessageTimeout/10))
		case <-zero.C:
			e.tickZero(zero)
		case <-appended:
			appended, syncs = nil, time.After(e.settings.Sync)
		case <-syncs:
			appended, syncs = e.shared.appended, nil
			e.sync()
		case done := <-e.reloads:
			done <- e.reload()
			due.Reset(0) // what is due may be other than it was
			e.zero.restart()
		}
	}
}

// update reads what the watcher found.
func (e *engine) update(ctx context.Context, u watcher.Update) {
	roots := e.rootsOf(u)
	defer roots.close()
	if u.Tree != nil {
		e.walked(ctx, roots, u)
	}
	e.named(ctx, roots, u.Dirty)
	e.tell()
	if u.Tree != nil {
		e.refresh()
	}
}

// named reads what is new in the files with some names.
func (e *engine) named(ctx context.Context, roots roots, names []watcher.File) {
	expected := e.expectNamed(roots, names)
	for i, name := range names {
		expected.read(i, func() { e.one(ctx, roots, name) })
	}
}

// one reads what is new in one file.
func (e *engine) one(ctx context.Context, roots roots, name watcher.File) {
	e.alive()
	before := e.taken
	err := e.follow(ctx, roots, name)
	switch {
	case err == nil:
		delete(e.failing, name)
	case ctx.Err() == nil:
		e.fails(name, err)
	}
	if e.taken == before {
		return
	}
	if e.ready.Load() {
		e.Metrics.IngestLag.Observe(max(0, e.now().Sub(e.written).Seconds()))
	}
}

// fails notes that a file cannot be read, and tells it once. Its name would be
// telling; the kind of error is not.
func (e *engine) fails(name watcher.File, err error) {
	if _, again := e.failing[name]; !again {
		e.Logger.Warn("Failed to read a file, every walk tries again", "root", e.sources[name.Root].path, "err", cause(err))
	}
	e.failing[name] = struct{}{}
}

// cause returns an error without the names of files around it.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// walked compares the trees with what is known of them. Files that have not
// changed come first: then it is clear which are merely another name of one.
func (e *engine) walked(ctx context.Context, roots roots, u watcher.Update) {
	var changed []watcher.Found
	e.shared.walk()
	for _, found := range u.Tree {
		if !e.unchanged(found) {
			changed = append(changed, found)
		}
	}
	expected := e.expect(changed)
	for i, found := range changed {
		expected.read(i, func() {
			if !e.shared.duplicate(e.digest(found.File), found) {
				e.one(ctx, roots, found.File)
			}
		})
	}
	if ctx.Err() == nil {
		e.missing(u)
		e.walks++
	}
}

// missing notes which files a walk has not found.
func (e *engine) missing(u watcher.Update) {
	for name := range e.failing {
		if u.Gone(name) {
			delete(e.failing, name)
		}
	}
	blind := make(map[int]bool)
	for _, dir := range u.Unreadable {
		blind[dir.Root] = true
	}
	for _, found := range u.Tree {
		if _, failing := e.failing[found.File]; failing {
			e.shared.spare(e.digest(found.File), found)
		}
	}
	news := make([]transcript.Key, 0, len(u.Dirty))
	for _, name := range u.Dirty {
		news = append(news, e.digest(name))
	}
	for _, id := range e.shared.walked(news, blind) {
		e.lose(id)
	}
}

// tell sets the metrics that follow from which files there are.
func (e *engine) tell() {
	sessions, agents := e.shared.there()
	e.Metrics.Files.WithLabelValues("session").Set(float64(sessions))
	e.Metrics.Files.WithLabelValues("subagent").Set(float64(agents))
	e.Metrics.UnreadableFiles.Set(float64(len(e.failing)))
	e.files.Store(int64(sessions + agents))
}

// due does what is due by time.
func (e *engine) due(ctx context.Context) {
	e.quiet(ctx, e.settings.MessageTimeout)
	now := e.now()
	if now.Sub(e.forgotten) >= 24*time.Hour {
		e.forget(now)
	}
	e.secure(now)
}

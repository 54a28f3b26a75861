package daemon

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// tick is how often the engine checks what is due by time. Nothing is due to the second,
// and each check wakes a process that mostly sleeps.
const tick = 10 * time.Second

// An engine is the goroutine that reads and counts.
type engine struct {
	daemon    *Daemon
	follower  *follow.Follower
	saver     *saver
	watch     *watch
	zero      zeroWindow
	forgotten time.Time // when files were last forgotten

	unreadableDirs []int // by source, according to the last walk
}

func newEngine(d *Daemon) *engine {
	e := &engine{daemon: d, saver: &saver{daemon: d}}
	sources := d.settings.Sources()
	e.follower = follow.New(follow.Options{
		State: d.state, Log: d.log, Now: d.now, Unknown: d.unknown, Alive: d.alive,
		OnRead: func(modified time.Time) {
			if d.ready.Load() {
				d.metrics.IngestLag.Observe(max(0, d.now().Sub(modified).Seconds()))
			}
		},
		OnBacklog: func(bytes int64) {
			d.metrics.Backlog.Set(float64(bytes))
			d.backlog.Store(bytes)
		},
	}, d.settings.following(sources))
	e.watchSources(sources)
	return e
}

// configure puts the settings in force, with other sources.
func (e *engine) configure(sources []follow.Source) {
	e.watch.stop()
	e.follower.Configure(e.daemon.settings.following(sources))
	e.watchSources(sources)
}

// watchSources starts to watch the sources of the settings in force.
func (e *engine) watchSources(sources []follow.Source) {
	trees := make([]metrics.WatchedDir, len(sources))
	for i, s := range sources {
		trees[i] = metrics.WatchedDir{Path: s.Path, Labels: len(s.Labels)}
	}
	e.daemon.trees.Store(&trees)
	e.unreadableDirs = make([]int, len(sources))
	e.daemon.maxSessions.Store(int64(e.daemon.settings.MaxSessions))
	e.watch = startWatch(e.daemon, e.follower.WatchOptions())
}

// stop ends the goroutines of the engine.
func (e *engine) stop() {
	e.watch.stop()
	e.saver.wait()
}

// end saves the state at the end of Run, whose error is err.
func (e *engine) end(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = nil // it was asked to stop
	}
	return errors.Join(err, e.saver.save())
}

func (e *engine) loop(ctx context.Context) error {
	due := time.NewTimer(0)
	defer due.Stop()
	zero := time.NewTimer(0)
	defer zero.Stop()
	// What was appended to the journal is synced a while later, together with all that
	// was appended meanwhile.
	var syncs <-chan time.Time
	appended := e.daemon.state.Appended()
	for {
		e.daemon.alive()
		e.watchZero(zero)
		select {
		case <-ctx.Done():
			return nil
		case <-e.watch.Wake():
			e.update(ctx, e.watch.Take())
		case <-due.C:
			e.due(ctx)
			due.Reset(min(e.daemon.tick, e.daemon.settings.MessageTimeout/10))
		case <-zero.C:
			e.tickZero(zero)
		case <-appended:
			appended, syncs = nil, time.After(e.daemon.settings.Sync)
		case <-syncs:
			appended, syncs = e.daemon.state.Appended(), nil
			e.saver.sync()
		case done := <-e.daemon.reloads:
			done <- e.reload()
			due.Reset(0) // other things may be due now
			e.zero.restart()
		}
	}
}

// update reads what the watcher found.
func (e *engine) update(ctx context.Context, u watcher.Update) {
	e.follower.Update(ctx, u)
	e.countUnreadable(u)
	e.reportFiles()
	if u.Tree != nil {
		e.refresh()
	}
}

// reportFiles sets the metrics of how many files there are.
func (e *engine) reportFiles() {
	d := e.daemon
	sessions, agents := d.state.Present()
	d.metrics.Files.WithLabelValues("session").Set(float64(sessions))
	d.metrics.Files.WithLabelValues("subagent").Set(float64(agents))
	d.metrics.UnreadableFiles.Set(float64(e.follower.Unreadable()))
	d.files.Store(int64(sessions + agents))
	e.reportUnreadable()
}

// countUnreadable counts the directories that a walk could not read.
func (e *engine) countUnreadable(u watcher.Update) {
	if u.Tree == nil {
		return
	}
	clear(e.unreadableDirs)
	for _, dir := range u.Unreadable {
		e.unreadableDirs[dir.Root]++
	}
}

// reportUnreadable updates the number of unreadable files and directories per source.
func (e *engine) reportUnreadable() {
	before := *e.daemon.trees.Load()
	dirs := slices.Clone(before)
	for i, files := range e.follower.UnreadableBySource() {
		dirs[i].Unreadable = e.unreadableDirs[i] + files
	}
	if !slices.Equal(dirs, before) {
		e.daemon.trees.Store(&dirs)
	}
}

// due does what is due by time.
func (e *engine) due(ctx context.Context) {
	e.follower.FinalizeQuiet(ctx, e.daemon.settings.MessageTimeout)
	now := e.daemon.now()
	if now.Sub(e.forgotten) >= 24*time.Hour {
		e.forget(now)
	}
	e.saver.saveIfDue(now)
}

// forget drops what only files that have been missing for long could repeat.
func (e *engine) forget(now time.Time) {
	e.forgotten = now
	if n := e.daemon.state.Forget(now.Add(-e.daemon.settings.Retention)); n > 0 {
		e.daemon.log.Info("Forgot files that are long gone", "files", n)
	}
}

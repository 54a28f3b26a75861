package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// tick is the interval of periodic work. None of it needs to be on time, and each tick
// wakes a process that mostly sleeps.
const tick = 10 * time.Second

// An engine is the state of the goroutine that reads and counts.
type engine struct {
	daemon     *Daemon
	follower   *follow.Follower
	saver      *saver
	watch      *watch
	zero       zeroWindow
	running    runningSessions
	lastForget time.Time
	lastEnded  time.Time // when ended sessions were last looked for

	omitted []omitted // by source, in the last walk
}

func newEngine(d *Daemon) *engine {
	e := &engine{daemon: d, saver: &saver{daemon: d}}
	sources := d.settings.Load().Sources()
	e.follower = follow.New(follow.Options{
		State: d.state, Files: d.known, Log: d.log, Now: d.now, Unknown: d.unknown, Alive: d.alive,
		OnRead: func(modified time.Time) {
			if d.ready.Load() {
				d.metrics.IngestLag.Observe(max(0, d.now().Sub(modified).Seconds()))
			}
		},
		OnBacklog: func(bytes int64) {
			d.metrics.Backlog.Set(float64(bytes))
			d.backlog.Store(bytes)
		},
		OnForgotten: func(keys int) { d.metrics.ForgottenKeys.Add(float64(keys)) },
	}, d.settings.Load().followerConfig(sources))
	e.watchSources(sources)
	return e
}

// configure applies the current settings to the follower and the watcher.
func (e *engine) configure(sources []follow.Source) {
	e.watch.stop()
	e.follower.Configure(e.daemon.settings.Load().followerConfig(sources))
	e.watchSources(sources)
}

func (e *engine) watchSources(sources []follow.Source) {
	dirs := make([]status.WatchedDir, len(sources))
	for i, s := range sources {
		dirs[i] = status.WatchedDir{Path: s.Path, Labels: len(s.Labels)}
	}
	e.daemon.watchedDirs.Store(&dirs)
	e.omitted = make([]omitted, len(sources))
	e.daemon.sources.Store(&sources)
	e.daemon.ownFiles.Store(areOwn(sources))
	e.watch = startWatch(e.daemon, e.follower.WatchOptions())
}

// stop stops the goroutines of the engine and waits for them.
func (e *engine) stop() {
	e.watch.stop()
	e.follower.CloseFiles()
	e.saver.wait()
}

// end saves the state at the end of Run. It returns the error of saving, joined with
// err unless Run was canceled.
func (e *engine) end(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, e.saver.save())
}

func (e *engine) loop(ctx context.Context) error {
	periodic := time.NewTimer(0)
	defer periodic.Stop()
	zero := time.NewTimer(0)
	defer zero.Stop()
	// The journal is synced some time after its first unsynced frame.
	var sync <-chan time.Time
	appended := e.daemon.state.Appended()
	for {
		e.daemon.alive()
		e.watchZero(zero)
		select {
		case <-ctx.Done():
			return nil
		case <-e.watch.Wake():
			e.update(ctx, e.watch.Take())
		case <-periodic.C:
			e.periodic(ctx)
			periodic.Reset(min(e.daemon.tick, e.daemon.settings.Load().MessageTimeout/10))
		case <-zero.C:
			e.tickZero(zero)
		case <-appended:
			appended, sync = nil, time.After(e.daemon.settings.Load().Sync)
		case <-sync:
			appended, sync = e.daemon.state.Appended(), nil
			e.saver.sync()
		case done := <-e.daemon.reloads:
			done <- e.reload()
			periodic.Reset(0) // intervals may be shorter now
			e.zero.restart()
		}
	}
}

// update reads the files of an update.
func (e *engine) update(ctx context.Context, u watcher.Update) {
	e.follower.Update(ctx, u)
	e.countOmitted(u)
	e.reportFiles()
	if u.Tree != nil {
		e.refreshSources()
	}
}

// reportFiles sets the metrics of the number of files.
func (e *engine) reportFiles() {
	d := e.daemon
	sessions, agents := d.known.Present()
	d.metrics.Files.WithLabelValues("session").Set(float64(sessions))
	d.metrics.Files.WithLabelValues("subagent").Set(float64(agents))
	d.metrics.UnreadableFiles.Set(float64(e.follower.Unreadable()))
	d.files.Store(int64(sessions + agents))
	e.reportOmitted()
}

// periodic does the work that depends on time.
func (e *engine) periodic(ctx context.Context) {
	e.follower.CloseFiles()
	e.follower.FinalizeQuiet(ctx, e.daemon.settings.Load().MessageTimeout)
	now := e.daemon.now()
	e.running.update(e.daemon, now)
	if now.Sub(e.lastForget) >= 24*time.Hour {
		e.forget(now)
	}
	e.follower.LimitKeys()
	if now.Sub(e.lastEnded).Abs() >= time.Minute { // also if the clock was set back
		e.endSessions(now)
	}
	e.saver.saveIfDue(now)
}

// forget drops the keys that only files deleted before the retention period had.
func (e *engine) forget(now time.Time) {
	e.lastForget = now
	if n := e.follower.Forget(now.Add(-e.daemon.settings.Load().Retention)); n > 0 {
		e.daemon.log.Info("Dropped the dedup keys of files deleted before the retention period", "files", n)
	}
}

// endSessions observes sessions, and counts unfinished runs of sub-agents, after a day
// without a line.
func (e *engine) endSessions(now time.Time) {
	e.lastEnded = now
	e.daemon.state.Change(func(l *ledger.Ledger, at int64) { l.EndSessions(at) })
}

package daemon

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// saveEvery is how often a long catch-up is saved, so that one that is interrupted does
// not begin again.
const saveEvery = time.Minute

// catchUp reads every file to its end and makes the counters ready to be served.
func (e *engine) catchUp(ctx context.Context) error {
	d := e.daemon
	first, err := e.firstWalk(ctx)
	if err != nil {
		return err
	}
	if len(first.Tree) == 0 {
		d.log.Info("No sessions yet, waiting for the first one")
	}
	e.readAll(ctx, first)
	// Read what was written during the walk, but only once: a file may be written all the time.
	if ctx.Err() == nil && e.watch.pending() {
		e.update(ctx, e.watch.Take())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	resumed := e.resume()
	d.state.Settle()
	e.follower.FinalizeQuiet(ctx, d.settings.MessageTimeout)
	e.forget(d.now())
	d.state.NameSessions(sessionIDs(first.Tree))
	if !resumed || d.state.PausedBy() != nil {
		return e.begin(ctx)
	}
	e.follower.GoLive()
	return nil
}

// firstWalk waits for the result of the first walk.
func (e *engine) firstWalk(ctx context.Context) (watcher.Update, error) {
	again := time.NewTicker(e.daemon.tick)
	defer again.Stop()
	for {
		e.daemon.alive()
		select {
		case <-ctx.Done():
			return watcher.Update{}, ctx.Err()
		case <-again.C:
		case done := <-e.daemon.reloads:
			done <- e.reload()
		case <-e.watch.Wake():
			if u := e.watch.Take(); u.Tree != nil {
				return u, nil
			}
		}
	}
}

// readAll reads the files of a tree that have changed, and then what has changed since
// the walk.
func (e *engine) readAll(ctx context.Context, first watcher.Update) {
	d := e.daemon
	files := e.follower.Changed(first.Tree)
	e.saver.saved = d.now()
	p := newProgress(files, d.log, d.now, func(p metrics.Progress) { d.progress.Store(&p) })
	e.follower.CatchUp(ctx, files, d.settings.MessageTimeout, func(found watcher.FoundFile) {
		if d.now().Sub(e.saver.saved) >= saveEvery {
			e.saver.trySave()
		}
		p.done(found)
	})
	if ctx.Err() != nil {
		return
	}
	e.follower.Update(ctx, first)
	p.end()
	e.countUnreadable(first)
	e.reportFiles()
}

// sessionIDs returns the ids of sessions that may be live: most files are named after
// theirs.
func sessionIDs(tree []watcher.FoundFile) (ids []string) {
	for _, found := range tree {
		if !transcript.KindOf(found.Rel).IsAgent() {
			ids = append(ids, strings.TrimSuffix(filepath.Base(found.Rel), filepath.Ext(found.Rel)))
		}
	}
	return ids
}

// resume appends every step from now on to the journal on disk, if the snapshot and that
// journal hold everything. So a start where nothing has changed writes next to nothing.
func (e *engine) resume() bool {
	d := e.daemon
	if !d.state.IsRestored() || !d.store.Resume() {
		return false
	}
	d.state.SetJournal(d.store)
	d.state.Configure(d.settings.Ledger) // the options may have changed
	return d.state.PausedBy() == nil
}

// begin saves the state and appends every step from now on to the journal. The state is
// not served before it is saved.
func (e *engine) begin(ctx context.Context) error {
	d := e.daemon
	d.state.Start()
	for !e.saver.trySave() {
		d.alive()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d.tick):
		}
	}
	d.state.SetJournal(d.store)
	e.follower.GoLive()
	return nil
}

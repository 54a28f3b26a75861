package daemon

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// saveEvery is how often the state is saved during a long catch-up, so that an
// interrupted catch-up does not start over. Saving takes at most one part in saveShare
// of the time: a snapshot of a million files takes long.
const (
	saveEvery = time.Minute
	saveShare = 20
)

// journaledCatchUp is the maximum number of unread bytes of a catch-up that continues
// the previous process's journal. A larger catch-up ends with a snapshot, which takes
// up to half of the time of a restart.
const journaledCatchUp = 1 << 20

// catchUp reads every file to its end and prepares the counters for scrapes.
func (e *engine) catchUp(ctx context.Context) error {
	d := e.daemon
	first, err := e.firstWalk(ctx)
	if err != nil {
		return err
	}
	if d.readAgain {
		d.log.Info("Reading transcripts again", "files", e.follower.ReadAgain(first.Tree))
	}
	files := e.follower.Changed(ctx, first.Tree)
	resumed := !d.readAgain && d.state.IsRestored() && e.follower.Unread(files) <= journaledCatchUp && e.resumeJournal()
	d.configure()
	e.readAll(ctx, first, files)
	// Read lines written during the scan, but only once: a file may grow all the time.
	if ctx.Err() == nil && e.watch.pending() {
		e.update(ctx, e.watch.Take())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.state.Change(func(l *ledger.Ledger, _ int64) { l.Settle() })
	e.follower.FinalizeQuiet(ctx, d.settings.Load().MessageTimeout)
	e.endSessions(d.now())
	if d.readAgain { // like a first start, expose history without a spike
		d.state.Release(d.state.Pending())
	}
	e.forget(d.now())
	d.state.NameSessions(sessionIDs(first.Tree, *d.sources.Load()))
	if !resumed || d.state.PausedBy() != nil {
		return e.saveAndGoLive(ctx)
	}
	e.follower.GoLive()
	return nil
}

// firstWalk waits for the result of the first scan. It handles reloads.
func (e *engine) firstWalk(ctx context.Context) (watcher.Update, error) {
	tick := time.NewTicker(e.daemon.tick)
	defer tick.Stop()
	for {
		e.daemon.alive()
		select {
		case <-ctx.Done():
			return watcher.Update{}, ctx.Err()
		case <-tick.C:
		case done := <-e.daemon.reloads:
			done <- e.reload()
		case <-e.watch.Wake():
			if u := e.watch.Take(); u.Tree != nil {
				return u, nil
			}
		}
	}
}

// readAll reads the changed files of the first scan, and then the updates since.
func (e *engine) readAll(ctx context.Context, first watcher.Update, files []watcher.FoundFile) {
	d := e.daemon
	e.saver.lastSave = d.now()
	p := newProgress(files, d.log, d.now, func(p status.Progress) { d.progress.Store(&p) })
	e.follower.CatchUp(ctx, files, d.settings.Load().MessageTimeout, func(file watcher.FoundFile) {
		if d.now().Sub(e.saver.lastSave) >= max(saveEvery, saveShare*e.saver.took) {
			e.saver.trySave()
		}
		p.fileDone(file)
	})
	if ctx.Err() != nil {
		return
	}
	e.follower.Update(ctx, first)
	p.finish()
	e.countOmitted(first)
	e.reportFiles()
}

// sessionIDs returns the sessions that files are named after, as most transcripts are.
func sessionIDs(files []watcher.FoundFile, sources []follow.Source) (ids []ledger.SessionID) {
	labels := labelsOf(sources)
	for _, file := range files {
		if !transcript.KindOf(file.Rel).IsAgent() {
			id := strings.TrimSuffix(filepath.Base(file.Rel), filepath.Ext(file.Rel))
			ids = append(ids, ledger.SessionID{Source: labels[file.Root], ID: id})
		}
	}
	return ids
}

// labelsOf returns the labels of sources, in the same order.
func labelsOf(sources []follow.Source) (labels []counters.SourceLabels) {
	for _, s := range sources {
		labels = append(labels, counters.NewSourceLabels(s.Labels))
	}
	return labels
}

// resumeJournal continues the journal on disk if snapshot and journal contain the whole
// state, so that no snapshot has to be written.
func (e *engine) resumeJournal() bool {
	d := e.daemon
	if !d.state.IsRestored() || !d.store.Resume() {
		return false
	}
	d.state.SetJournal(d.store)
	return true
}

// saveAndGoLive saves the state, retrying until it succeeds, and starts a new journal.
// Counters are not exposed before they are saved.
func (e *engine) saveAndGoLive(ctx context.Context) error {
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

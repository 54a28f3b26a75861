package daemon

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// saveEvery is how often a long catch-up is saved, so that one that is cut
// short does not begin at the beginning.
const saveEvery = time.Minute

// catchUp reads every file to its end and makes everything ready to be seen.
func (e *engine) catchUp(ctx context.Context) error {
	first, err := e.firstWalk(ctx)
	if err != nil {
		return err
	}
	if len(first.Tree) == 0 {
		e.Logger.Info("No sessions yet, waiting for the first one")
	}
	e.readAll(ctx, first)
	// What came while that was read; not what came while this is, and so on: some
	// file may be written all the time.
	if ctx.Err() == nil && e.watch.pending() {
		e.update(ctx, e.watch.Take())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	resumed := e.resume()
	e.shared.do(&settleStep{})
	e.quiet(ctx, e.settings.MessageTimeout)
	e.forget(e.now())
	e.nameSessions(first.Tree)
	if !resumed || e.shared.failure() != nil {
		return e.begin(ctx)
	}
	e.settle = true
	return nil
}

// firstWalk waits until the trees have been walked once.
func (e *engine) firstWalk(ctx context.Context) (watcher.Update, error) {
	again := time.NewTicker(e.tick)
	defer again.Stop()
	for {
		e.alive()
		select {
		case <-ctx.Done():
			return watcher.Update{}, ctx.Err()
		case <-again.C:
		case done := <-e.reloads:
			done <- e.reload()
		case <-e.watch.Wake():
			if u := e.watch.Take(); u.Tree != nil {
				return u, nil
			}
		}
	}
}

// readAll reads the files of a tree that have changed, the oldest first, and
// sessions before sub-agents: so what is repeated counts where it was first.
func (e *engine) readAll(ctx context.Context, first watcher.Update) {
	order := byAge(slices.DeleteFunc(slices.Clone(first.Tree), e.unchanged))
	roots := e.openRoots()
	defer roots.close()
	e.saved = e.now()
	p := newProgress(order, e.Logger, e.Now, func(p metrics.Progress) { e.progress.Store(&p) })
	expected, i := e.expect(order), 0
	e.inOrder(ctx, roots, order, e.settings.MaxLine, func(found watcher.Found) {
		expected.read(i, func() { e.readWhole(ctx, roots, found) })
		i++
		p.done(found)
	})
	if ctx.Err() != nil {
		return
	}
	e.walked(ctx, roots, first)
	e.named(ctx, roots, first.Dirty) // those of during the walk
	p.end()
	e.tell()
}

// readWhole reads a file, and what waits for quiet in it if it is quiet.
func (e *engine) readWhole(ctx context.Context, roots roots, found watcher.Found) {
	e.one(ctx, roots, found.File)
	if at := e.at(found.File); at != nil && e.now().Sub(at.quietSince()) >= e.settings.MessageTimeout {
		e.lastLine(roots, found.File)
	}
	if e.now().Sub(e.saved) < saveEvery {
		return
	}
	e.trySave()
}

// byAge returns files in the order in which a first start reads them.
func byAge(files []watcher.Found) []watcher.Found {
	var sessions, agents []watcher.Found
	for _, f := range files {
		if transcript.KindOf(f.Rel).Agent() {
			agents = append(agents, f)
		} else {
			sessions = append(sessions, f)
		}
	}
	for _, some := range [][]watcher.Found{sessions, agents} {
		slices.SortStableFunc(some, func(a, b watcher.Found) int {
			return cmp.Or(a.Info.ModTime().Compare(b.Info.ModTime()), strings.Compare(a.Rel, b.Rel))
		})
	}
	return append(sessions, agents...)
}

// nameSessions tells the ledger the ids of sessions that may be live, which
// the state does not hold: most files are named after theirs.
func (e *engine) nameSessions(tree []watcher.Found) {
	e.shared.mu.Lock()
	defer e.shared.mu.Unlock()
	for _, found := range tree {
		if !transcript.KindOf(found.Rel).Agent() {
			e.shared.state.ledger.Name(strings.TrimSuffix(filepath.Base(found.Rel), filepath.Ext(found.Rel)))
		}
	}
}

// resume has every step from now on written to the journal that is there, if all
// that is known is in there or in the snapshot before it: where nothing has changed
// since the last stop, a start writes next to nothing.
func (e *engine) resume() bool {
	if !e.shared.restored() || !e.store.Resume() {
		return false
	}
	e.shared.keep(e.store)
	e.shared.do(&configureStep{options: e.settings.Ledger}) // which may be others than before
	return e.shared.failure() == nil
}

// begin saves the state and has every step from now on written down. Before it
// is saved nobody may see it. On the very first start every series is released, so
// that it starts at its value and installing the daemon makes no spike.
func (e *engine) begin(ctx context.Context) error {
	e.shared.mu.Lock()
	if !e.shared.state.begun {
		e.shared.state.begun = true
		e.shared.state.ledger.Release(e.shared.state.ledger.Pending())
	}
	e.shared.mu.Unlock()
	for !e.trySave() {
		e.alive()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(e.tick):
		}
	}
	e.shared.keep(e.store)
	e.settle = true
	return nil
}

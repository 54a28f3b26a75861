package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A Reading is what one reading of everything has counted.
type Reading struct {
	counted *shared
	now     func() time.Time
	// Files is how many transcripts there are; Failed how many of them, or of
	// the directories they may be in, could not be read.
	Files, Failed int
}

// Fill makes s what was counted, and returns true.
func (r *Reading) Fill(s *ledger.Snapshot) bool {
	r.counted.fill(s)
	return true
}

// Once reads every transcript of the sources as it is now, and counts what
// they leave open too. It keeps no state. Files are read in the order of their
// names, so that the same tree gives the same numbers wherever it was copied to.
func Once(ctx context.Context, s Settings, log *slog.Logger) (*Reading, error) {
	now := time.Now
	counted := &shared{state: newState(s.Ledger, now().UnixMilli()), now: now}
	f := newFollower(counted, s.MaxLine, now)
	f.whole = true
	f.unknown.log = log
	f.configure(s.Labeller, s.Sources())
	r := &Reading{counted: counted, now: now}
	found, errs := watcher.Walk(ctx, f.watching())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, err := range errs {
		if !errors.Is(err, fs.ErrNotExist) {
			r.Failed++
			log.Warn("Failed to read a directory", "err", cause(err))
		}
	}
	r.readAll(ctx, f, found, s.MaxLine, log)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f.finish()
	return r, nil
}

func (r *Reading) readAll(ctx context.Context, f *follower, files []watcher.Found, maxLine int, log *slog.Logger) {
	roots := f.openRoots()
	defer roots.close()
	told := newProgress(files, log, r.now, func(metrics.Progress) {})
	f.inOrder(ctx, roots, files, maxLine, func(found watcher.Found) {
		err := f.follow(ctx, roots, found.File)
		if err == nil {
			err = f.rest(roots, found.File)
		}
		if err != nil && ctx.Err() == nil {
			r.Failed++
			log.Warn("Failed to read a file", "root", f.sources[found.Root].path, "err", cause(err))
		}
		told.done(found)
	})
	sessions, agents := f.shared.there()
	r.Files = sessions + agents
}

// finish counts everything that waits: nothing more comes.
func (f *follower) finish() {
	f.shared.do(&settleStep{})
	for _, id := range f.shared.allRestless() {
		f.shared.do(&quietStep{id: id, now: f.now().UnixMilli()})
	}
	f.shared.do(&releaseStep{f.shared.pending()})
}

package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A Reading is the result of reading all transcripts once.
type Reading struct {
	state  *state.State
	Files  int // transcripts
	Failed int // transcripts and directories that could not be read
}

// SnapshotInto sets s to the counters, and returns true.
func (r *Reading) SnapshotInto(s *ledger.Snapshot) bool {
	r.state.SnapshotInto(s)
	return true
}

// Once reads every transcript of the sources once, and counts open messages, too. It
// saves no state. Files are read in the order of their names, so that copies of a
// directory have the same counts.
func Once(ctx context.Context, s Settings, log *slog.Logger) (*Reading, error) {
	r := &Reading{state: state.New(s.Ledger, time.Now)}
	sources := s.Sources()
	o := follow.Options{State: r.state, Log: log, Now: time.Now, Unknown: follow.NewUnknownNames(log)}
	f := follow.New(o, s.followerConfig(sources))
	found, errs := watcher.Walk(ctx, f.WatchOptions())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, err := range errs {
		if !errors.Is(err, fs.ErrNotExist) {
			r.Failed++
			log.Warn("Failed to read a directory", "err", follow.Cause(err))
		}
	}
	p := newProgress(found, log, time.Now, func(metrics.Progress) {})
	f.ReadAtRest(ctx, found, func(file watcher.FoundFile, err error) {
		if err != nil && ctx.Err() == nil {
			r.Failed++
			log.Warn("Failed to read a file", "root", sources[file.Root].Path, "err", follow.Cause(err))
		}
		p.fileDone(file)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r.state.FinalizeAll()
	sessions, agents := r.state.Present()
	r.Files = sessions + agents
	return r, nil
}

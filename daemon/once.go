package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/ledger"
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

// History returns the record of when the counters grew.
func (r *Reading) History() counters.History { return r.state.History() }

// Sessions returns the most recently active sessions that a query selects.
func (r *Reading) Sessions(q ledger.SessionQuery) ledger.SessionList { return r.state.Sessions(q) }

// Once reads every transcript of the sources and the given files as they are now, and
// counts pending messages too. It saves no state. The transcripts of the sources are
// read in the order of their names, so that copies of a tree give the same numbers, and
// then the files in their order. A file that is given twice, or is in a source, counts
// once.
func Once(ctx context.Context, s Settings, log *slog.Logger, files ...string) (*Reading, error) {
	r := &Reading{state: state.New(s.Ledger, time.Now)}
	known := follow.NewFileTable(r.state)
	sources := s.Sources()
	trees := len(sources)
	names := make([]watcher.File, len(files))
	for i, file := range files {
		dir, rel := splitFile(file)
		sources = append(sources, follow.Source{Path: dir})
		names[i] = watcher.File{Root: trees + i, Rel: rel}
	}
	o := follow.Options{State: r.state, Files: known, Log: log, Now: time.Now, Unknown: follow.NewUnknownNames(log)}
	f := follow.New(o, s.followerConfig(sources))
	walk := f.WatchOptions()
	walk.Roots, walk.Logger = walk.Roots[:trees], log
	found, errs := watcher.Walk(ctx, walk)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, err := range errs {
		if !errors.Is(err, fs.ErrNotExist) {
			r.Failed++
			logUnreadable(log, err)
		}
	}
	failed := func(name watcher.File, err error) {
		r.Failed++
		attrs := []any{"root", sources[name.Root].Path, "err", watcher.WithoutPath(err)}
		if name.Root >= trees { // given by the user
			attrs = append(attrs, "file", name.Rel)
		}
		log.Warn("Failed to read a file", attrs...)
	}
	for _, name := range names {
		file, err := watcher.Stat(sources[name.Root].Path, name)
		if err != nil {
			failed(name, err)
			continue
		}
		found = append(found, file)
	}
	p := newProgress(found, log, time.Now, func(status.Progress) {})
	f.ReadAtRest(ctx, found, func(file watcher.FoundFile, err error) {
		if err != nil && ctx.Err() == nil {
			failed(file.File, err)
		}
		p.fileDone(file)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f.FinalizeAll()
	r.state.Start() // so that projects are exposed as by a daemon that starts for the first time
	sessions, agents := known.Present()
	r.Files = sessions + agents
	return r, nil
}

// logUnreadable logs the error of an unreadable directory. Only the debug log has its
// path.
func logUnreadable(log *slog.Logger, err error) {
	log.Warn("Failed to read a directory", "err", watcher.WithoutPath(err))
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		log.Debug("Unreadable directory", "path", p.Path)
	}
}

// splitFile splits the path of a transcript into a directory and its name below that,
// which includes the directories that define the kind and the session of a sub-agent.
func splitFile(path string) (dir, rel string) {
	const slash = string(filepath.Separator)
	if i := strings.LastIndex(path, slash+"subagents"+slash); i > 0 {
		dir = filepath.Dir(path[:i])
		return dir, strings.TrimPrefix(path[len(dir):], slash)
	}
	return filepath.Dir(path), filepath.Base(path)
}

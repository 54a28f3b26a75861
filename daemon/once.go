package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A Reading is the result of reading all transcripts once.
type Reading struct {
	state    *state.State
	settings Settings
	sources  []follow.Source
	Files    int // transcripts
	Failed   int // transcripts and directories that could not be read
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

// Once reads every transcript of the sources, plain or compressed, and the given files,
// as they are now. It counts pending messages too, and saves no state. It reads sources
// first, in the order of names, so that copies of a tree give the same numbers, and
// then the files in their order. A file that is given twice, or is in a source, counts
// once.
func Once(ctx context.Context, s Settings, log *slog.Logger, files ...string) (*Reading, error) {
	s.Ledger.MaxKeys = 0 // nothing stays in memory
	r := &Reading{state: state.New(s.Ledger, time.Now), settings: s}
	finder := onceFinder{reading: r, log: log, sources: s.Sources()}
	finder.addFiles(files)
	r.sources = finder.sources
	known := follow.NewFileTable(r.state)
	o := follow.Options{State: r.state, Files: known, Log: log, Now: time.Now, Unknown: follow.NewUnknownNames(log)}
	f := follow.New(o, s.followerConfig(finder.sources))
	found := finder.find(ctx, f.WatchOptions())
	p := newProgress(found, log, time.Now, func(status.Progress) {})
	f.ReadAtRest(ctx, found, func(file watcher.FoundFile, err error) {
		if err != nil && ctx.Err() == nil {
			finder.fileFailed(file.File, err)
		}
		p.fileDone(file)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f.FinalizeAll()
	r.state.Start() // expose projects like the first start of a daemon
	sessions, agents := known.Present()
	r.Files = sessions + agents
	return r, nil
}

// An onceFinder finds the transcripts for Once, and reports unreadable files.
type onceFinder struct {
	reading *Reading
	log     *slog.Logger
	sources []follow.Source // directories to walk, then a directory for each given file
	files   []watcher.File  // given files
}

func (o *onceFinder) addFiles(paths []string) {
	for _, path := range paths {
		dir, rel := splitFile(path)
		o.files = append(o.files, watcher.File{Root: len(o.sources), Rel: rel})
		o.sources = append(o.sources, follow.Source{Path: dir})
	}
}

// find returns the transcripts of the sources, followed by the given files.
func (o *onceFinder) find(ctx context.Context, walk watcher.Options) []watcher.FoundFile {
	walk.Roots, walk.Logger = walk.Roots[:len(o.sources)-len(o.files)], o.log
	walk.Match = isReadable
	found, errs := watcher.Walk(ctx, walk)
	if ctx.Err() != nil {
		return nil
	}
	for _, err := range errs {
		if !errors.Is(err, fs.ErrNotExist) {
			o.dirFailed(err)
		}
	}
	for _, file := range o.files {
		present, err := watcher.Stat(o.sources[file.Root].Path, file)
		if err != nil {
			o.fileFailed(file, err)
			continue
		}
		found = append(found, present)
	}
	return found
}

// isReadable reports whether a file with a name can be read, also if it is compressed.
func isReadable(base string) bool { return transcript.IsTranscript(base) || transcript.IsArchive(base) }

// dirFailed counts and logs an unreadable directory. It logs the path at debug level.
func (o *onceFinder) dirFailed(err error) {
	o.reading.Failed++
	o.log.Warn("Failed to read a directory", "err", watcher.WithoutPath(err))
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		o.log.Debug("Unreadable directory", "path", p.Path)
	}
}

// fileFailed counts and logs an unreadable file. It logs the name only if the user has
// given the file.
func (o *onceFinder) fileFailed(file watcher.File, err error) {
	o.reading.Failed++
	attrs := []any{"root", o.sources[file.Root].Path, "err", watcher.WithoutPath(err)}
	if slices.Contains(o.files, file) {
		attrs = append(attrs, "file", file.Rel)
	}
	o.log.Warn("Failed to read a file", attrs...)
}

// splitFile splits the path of a transcript into a directory and a relative path. The
// relative path of a sub-agent includes the directories that define its kind and
// session.
func splitFile(path string) (dir, rel string) {
	const slash = string(filepath.Separator)
	if i := strings.LastIndex(path, slash+"subagents"+slash); i > 0 {
		dir = filepath.Dir(path[:i])
		return dir, strings.TrimPrefix(path[len(dir):], slash)
	}
	return filepath.Dir(path), filepath.Base(path)
}

package follow

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/leaktest"
	"github.com/ccwatchd/ccwatchd/internal/transcripttest"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/watcher"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func said(session string, replies int) string { return transcripttest.Replies(session, replies) }

// A labeller uses the last element of the directory as project, and knows the command /clear.
type labeller struct{}

func (labeller) Project(cwd string) string {
	if cwd == "" {
		return ""
	}
	return path.Base(cwd)
}

func (labeller) Command(name string) string {
	if name == "clear" {
		return name
	}
	return "custom"
}

// ledgerOptions returns options whose limits are never reached.
func ledgerOptions() ledger.Options {
	return ledger.Options{
		Limits: map[string]int{"project": 1000, "tool": 1000, "model": 1000, "command": 1000},
		Buckets: map[string][]float64{
			"claude_tool_duration_seconds": {.1, 1, 10},
			"claude_turn_duration_seconds": {1, 60},
			"claude_compaction_pre_tokens": {1000, 100000},
		},
		UnknownProject: "unknown",
	}
}

// configOf returns a configuration with one source.
func configOf(dir string, maxLine int) Config {
	return Config{Sources: []Source{{Path: dir}}, Labeller: labeller{}, MaxLine: maxLine}
}

// optionsOf returns options with a new state.
func optionsOf(now func() time.Time) Options {
	log := slog.New(slog.DiscardHandler)
	return Options{State: state.New(ledgerOptions(), now), Log: log, Now: now, Unknown: NewUnknownNames(log)}
}

// opened returns a follower of a directory and its open root.
func opened(t testing.TB, dir string) (*Follower, roots) {
	t.Helper()
	f := New(optionsOf(time.Now), configOf(dir, 1<<20))
	roots := f.openRoots()
	t.Cleanup(roots.close)
	return f, roots
}

// walk returns the files below a follower's source.
func walk(t testing.TB, f *Follower) []watcher.FoundFile {
	t.Helper()
	found, errs := watcher.Walk(t.Context(), f.WatchOptions())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return found
}

// sums returns the sum of the series of each counter and histogram.
func sums(s *state.State) map[string]uint64 {
	var snap ledger.Snapshot
	s.SnapshotInto(&snap)
	all := make(map[string]uint64)
	for _, f := range snap.Families {
		for _, sample := range f.Samples {
			if f.Family.Type != ledger.Gauge && sample.Value != 0 {
				all[f.Family.Name] += sample.Value
			}
		}
	}
	return all
}

// A dir is a directory with transcripts.
type dir struct {
	testing.TB
	dir string
}

func newDir(t testing.TB) dir { return dir{t, t.TempDir()} }

func (d dir) path(rel string) string { return filepath.Join(d.dir, filepath.FromSlash(rel)) }

// write replaces the content of a file in place.
func (d dir) write(rel, content string) {
	d.Helper()
	d.put(rel, content, os.O_TRUNC)
}

// add appends to a file.
func (d dir) add(rel, content string) {
	d.Helper()
	d.put(rel, content, os.O_APPEND)
}

func (d dir) put(rel, content string, flag int) {
	d.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(rel)), 0o700); err != nil {
		d.Fatal(err)
	}
	f, err := os.OpenFile(d.path(rel), os.O_CREATE|os.O_WRONLY|flag, 0o600)
	if err != nil {
		d.Fatal(err)
	}
	_, err = f.WriteString(content)
	if err := errors.Join(err, f.Close()); err != nil {
		d.Fatal(err)
	}
}

func (d dir) rename(from, to string) {
	d.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(to)), 0o700); err != nil {
		d.Fatal(err)
	}
	if err := os.Rename(d.path(from), d.path(to)); err != nil {
		d.Fatal(err)
	}
}

func (d dir) link(from, to string) {
	d.Helper()
	if err := os.Link(d.path(from), d.path(to)); err != nil {
		d.Skip(err)
	}
}

func (d dir) remove(rel string) {
	d.Helper()
	if err := os.RemoveAll(d.path(rel)); err != nil {
		d.Fatal(err)
	}
}

func stat(t testing.TB, name string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// touch sets the modification time.
func touch(t testing.TB, name string, to time.Time) {
	t.Helper()
	if err := os.Chtimes(name, to, to); err != nil {
		t.Fatal(err)
	}
}

// A canceler cancels a context at the n-th call of Project.
type canceler struct {
	labeller
	after int
	end   context.CancelFunc
}

func (e *canceler) Project(cwd string) string {
	if e.after--; e.after == 0 {
		e.end()
	}
	return e.labeller.Project(cwd)
}

// descriptors returns the number of open descriptors.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

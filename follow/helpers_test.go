package follow

import (
	"log/slog"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func said(session string, replies int) string { return transcripttest.Replies(session, replies) }

func configOf(dir string, maxLine int) Config {
	return Config{Sources: []Source{{Path: dir}}, Labeller: transcripttest.Labeller{}, MaxLine: maxLine}
}

// optionsOf returns options with a new state.
func optionsOf(now func() time.Time) Options {
	log := slog.New(slog.DiscardHandler)
	s := state.New(ledgertest.Options(), now)
	return Options{State: s, Files: NewFileTable(s), Log: log, Now: now, Unknown: NewUnknownNames(log)}
}

// openedFollower returns a follower of a directory and its open root.
func openedFollower(t testing.TB, dir string) (*Follower, roots) {
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
			if f.Family.Type != counters.Gauge && sample.Value != 0 {
				all[f.Family.Name] += sample.Value
			}
		}
	}
	return all
}

type dir = transcripttest.Dir

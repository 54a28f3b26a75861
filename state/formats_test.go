package state

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
)

var update = flag.Bool("update", false, "write the golden state of the present format, unless it exists")

// shownFile has the counters that readers see of a golden state.
const shownFile = "shown.txt"

// Every format that a version has written is read, and shows the same counters as then.
// testdata/formats has a golden state of each format: a snapshot with messages that are
// not counted yet, and a journal of the following lines. For a new format, -update
// writes another golden state; states of older formats are never written again.
func TestFormats(t *testing.T) {
	present := filepath.Join("testdata", "formats", strconv.Itoa(int(checkpoint.Format)))
	if _, err := os.Stat(present); err != nil && *update {
		writeGolden(t, present)
	}
	dirs, err := filepath.Glob("testdata/formats/*")
	if err != nil || len(dirs) != int(checkpoint.Format) {
		t.Fatalf("got golden states %v, want one of each format up to %d", dirs, checkpoint.Format)
	}
	for _, dir := range dirs {
		want, err := os.ReadFile(filepath.Join(dir, shownFile))
		if err != nil {
			t.Fatal(err)
		}
		shown := shownBy(restarted(t, copyOf(t, dir, 1<<30)))
		for line := range strings.Lines(string(want)) {
			if !slices.Contains(shown, line) {
				t.Errorf("%s: the state does not show\n%s", dir, line)
			}
		}
	}
}

// shownBy returns the series of a state that are not zero. A newer version may show
// more.
func shownBy(s *State) (all []string) {
	var snap ledger.Snapshot
	s.SnapshotInto(&snap)
	for _, f := range snap.Families {
		for _, sample := range f.Samples {
			if sample.Value > 0 {
				all = append(all, fmt.Sprintf("%s%q %q %d %d %d %d\n", f.Family.Name, sample.Labels, sample.Source, sample.Value, sample.Sum, sample.Counts, sample.Created))
			}
		}
	}
	return all
}

// writeGolden writes a state in the present format.
func writeGolden(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	batches, files := lines(4)
	s, store := started(t, dir, files, func() error { return nil })
	half := len(batches) / 2
	for i := range batches[:half] {
		s.Change(func(l *ledger.Ledger, _ int64) { l.AddBatch(&batches[i]) })
	}
	save(t, s, store)
	for i := range batches[half:] {
		s.Change(read(&batches[half+i]))
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lock", "pid"} {
		_ = os.Remove(filepath.Join(dir, name))
	}
	s.Release(s.Pending())
	if err := os.WriteFile(filepath.Join(dir, shownFile), []byte(strings.Join(shownBy(s), "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

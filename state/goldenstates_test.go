package state_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/statetest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

var golden = flag.String("golden", "", "`name` of a golden state to write, unless it exists, and the number of its rows")

const (
	goldenStates = "testdata/states"
	sources      = "transcripts"
	shown        = "counters.txt"
)

// present is the time of every change in these tests, after the last line.
var present = time.UnixMilli(1_800_000_000_000)

// Every golden state is loaded, shows the same counters as in the version that wrote
// it, and has its rows. When its transcripts are read again, nothing counts twice, not
// even if their source has got a label since.
//
// There is a golden state of each landed revision, and of each format. An archive has a
// snapshot, with messages that are not counted yet, a journal with the later frames,
// the transcripts, and the counters. Archives never change. The text beside an archive
// has the number of rows by table, and the counts that a later version adds when it
// reads again, with the reason.
func TestGoldenStates(t *testing.T) {
	if *golden != "" {
		t.Run("write", func(t *testing.T) { writeGolden(t, *golden) })
	}
	archives, err := filepath.Glob(goldenStates + "/*.tar.gz")
	if err != nil || len(archives) == 0 {
		t.Fatal("no golden states", err)
	}
	formats := make(map[uint32]bool)
	for _, archive := range archives {
		name := strings.TrimSuffix(filepath.Base(archive), ".tar.gz")
		t.Run(name, func(t *testing.T) { checkGolden(t, name, formats) })
	}
	for format := range checkpoint.Format {
		if !formats[format+1] {
			t.Errorf("no golden state has format %d: add one, see docs/design/state.md", format+1)
		}
	}
}

func checkGolden(t *testing.T, name string, formats map[uint32]bool) {
	expected := linesOf(t, filepath.Join(goldenStates, name+".txt"))
	t.Chdir(unpacked(t, filepath.Join(goldenStates, name)))
	w := load(t, formats)
	differ(t, "The state is loaded with other counters than its version had shown", linesOf(t, shown), w.counters())
	differ(t, "The state is loaded with other rows", withPrefix(expected, "rows"), rowLines(w.rows(t)))

	w.FinalizeAll()
	again := load(t, formats)
	again.readAgain(t)
	changed := append(added(w.counters(), again.counters()), added(rowLines(w.rows(t)), rowLines(again.rows(t)))...)
	differ(t, "Reading the transcripts again changes counters or rows", withPrefix(expected, "again"), changed)
	labelled := load(t, formats)
	labelled.Configure(configOf(map[string]string{"user": "ann"}))
	labelled.readAgain(t)
	differ(t, "Another label of their source counts transcripts again", again.sums(), labelled.sums())
}

// A world is a state and its reader.
type world struct {
	*follow.Follower
	*state.State
}

// sums returns the sums of the counters of all sources.
func (w *world) sums() (all []string) {
	var snap ledger.Snapshot
	w.SnapshotInto(&snap)
	for _, f := range snap.Families {
		sum := uint64(0)
		for _, s := range f.Samples {
			sum += s.Value
		}
		if f.Family.Type != counters.Gauge && strings.HasPrefix(f.Family.Name, "claude_") {
			all = append(all, fmt.Sprint(f.Family.Name, " ", sum))
		}
	}
	return all
}

// readAgain reads the transcripts again.
func (w *world) readAgain(t *testing.T) {
	t.Helper()
	files := w.transcripts(t)
	if n := w.ReadAgain(files); n < len(files)-1 { // one is empty
		t.Errorf("%d of %d transcripts are known", n, len(files))
	}
	w.read(t, w.Changed(t.Context(), files))
	w.FinalizeAll()
}

// newWorld returns a world with the transcripts in the working directory, of whose
// relative paths the state has digests. restore restores the state first.
func newWorld(restore func(s *state.State) error) (*world, error) {
	now := func() time.Time { return present }
	log := slog.New(slog.DiscardHandler)
	s := state.New(ledgertest.Options(), now)
	files := follow.NewFileTable(s)
	err := restore(s)
	files.Restored()
	o := follow.Options{State: s, Files: files, Log: log, Now: now, Unknown: follow.NewUnknownNames(log)}
	return &world{State: s, Follower: follow.New(o, configOf(nil))}, err
}

// configOf returns a configuration whose source has labels.
func configOf(labels map[string]string) follow.Config {
	return follow.Config{Sources: []follow.Source{{Path: sources, Labels: labels}}, Labeller: transcripttest.Labeller{}, MaxLine: 1 << 20}
}

// load returns the state in the working directory as after a restart, and notes its
// formats. The files have the inodes that they have here.
func load(t *testing.T, formats map[uint32]bool) *world {
	t.Helper()
	store, err := checkpoint.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // only read
	inodes := inodesOf(t)
	noted := func(load func(uint32, []byte) error) func(uint32, []byte) error {
		return func(format uint32, b []byte) error {
			formats[format] = true
			b, err := statetest.SetInodes(b, inodes)
			return errors.Join(err, load(format, b))
		}
	}
	w, err := newWorld(func(s *state.State) error {
		r, err := store.Load(noted(s.LoadSnapshot), noted(s.Replay))
		if r.Frames == 0 {
			err = errors.Join(err, errors.New("no frames"))
		}
		return errors.Join(err, errors.Join(r.Damage...), s.Restored(r.Snapshot, r.Journals))
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Change(func(l *ledger.Ledger, _ int64) { l.Configure(ledgertest.Options()) })
	return w
}

// inodesOf returns the inodes of the transcripts by the digests of their paths.
func inodesOf(t *testing.T) map[[8]byte]uint64 {
	t.Helper()
	all := make(map[[8]byte]uint64)
	err := filepath.WalkDir(sources, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		id, err := tailer.Identify(f)
		all[transcript.KeyOf("path", path)] = id.Inode
		return errors.Join(err, f.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// transcripts returns the transcripts of the source.
func (w *world) transcripts(t *testing.T) []watcher.FoundFile {
	t.Helper()
	files, errs := watcher.Walk(t.Context(), w.WatchOptions())
	if len(errs) > 0 || len(files) < 10 {
		t.Fatal(errs, len(files))
	}
	return files
}

func (w *world) read(t *testing.T, files []watcher.FoundFile) {
	t.Helper()
	w.CatchUp(t.Context(), files, time.Minute, func(watcher.FoundFile) {})
}

// counters returns the series of Claude Code that are not zero.
func (w *world) counters() (all []string) {
	var snap ledger.Snapshot
	w.SnapshotInto(&snap)
	for _, f := range snap.Families {
		for _, s := range f.Samples {
			if s.Value > 0 && strings.HasPrefix(f.Family.Name, "claude_") {
				all = append(all, fmt.Sprintf("%s%q %q %d %d %d", f.Family.Name, s.Labels, s.Source, s.Value, s.Sum, s.Counts))
			}
		}
	}
	slices.Sort(all)
	return all
}

// rows returns the number of rows by table.
func (w *world) rows(t *testing.T) map[table.Number]int {
	t.Helper()
	_, snapshot, err := w.Encode(func() (uint64, error) { return 1, nil })
	if err != nil {
		t.Fatal(err)
	}
	rows, err := statetest.Rows(snapshot, w.Tables())
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func rowLines(rows map[table.Number]int) (all []string) {
	names := statetest.TableNames()
	for _, n := range slices.Sorted(maps.Keys(rows)) {
		all = append(all, fmt.Sprintf("rows %d %s: %d", n, names[n], rows[n]))
	}
	return all
}

// added returns the lines of now that before does not have, as they are in a text.
func added(before, now []string) (all []string) {
	for _, line := range now {
		if !slices.Contains(before, line) {
			all = append(all, "again "+line)
		}
	}
	return all
}

func withPrefix(lines []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.HasPrefix(line, prefix+" ") })
}

// differ reports lines that are missing or unexpected.
func differ(t *testing.T, what string, want, got []string) {
	t.Helper()
	var lines []string
	for _, line := range want {
		if !slices.Contains(got, line) {
			lines = append(lines, "- "+line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			lines = append(lines, "+ "+line)
		}
	}
	if len(lines) > 0 {
		t.Errorf("%s (%d lines differ; docs/design/state.md, \"Rules for changes\"):\n%s", what, len(lines), strings.Join(lines[:min(len(lines), 40)], "\n"))
	}
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

package state

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func newState() *State {
	return New(ledgertest.Options(), func() time.Time { return time.UnixMilli(testTime) })
}

// seen returns all that readers see of a state.
func seen(s *State) string {
	var b strings.Builder
	var snap ledger.Snapshot
	s.SnapshotInto(&snap)
	for _, f := range snap.Families {
		for _, sample := range f.Samples {
			fmt.Fprintf(&b, "%s %+v\n", f.Family.Name, sample)
		}
	}
	h := s.History()
	for _, f := range h.Families {
		for i := range f.Series {
			fmt.Fprintf(&b, "%v %v\n", f.Series[i].Increases(), f.Series[i].Late())
		}
	}
	sessions := s.Sessions(ledger.SessionQuery{Limit: 100, Since: math.MinInt64})
	for i := range sessions.Sessions {
		sessions.Sessions[i].ID = ""
	}
	fmt.Fprintf(&b, "%d %v %+v\n", snap.Unsettled, snap.DedupKeys, sessions)
	return b.String()
}

// A journalOf is a journal that may fail.
type journalOf struct {
	*checkpoint.Store
	fails func() error
}

func (j *journalOf) Append(frame []byte) error {
	if err := j.fails(); err != nil {
		return err
	}
	return j.Store.Append(frame)
}

// lines returns the lines of some generated transcripts, each with the id of its file.
func lines(seed uint64) (all []ledger.Batch, files []ledger.File) {
	tree := transcripttest.Generate(seed, transcripttest.Options{Size: 1})
	for i, name := range tree.Names() {
		id := ledger.FileID(i + 1)
		files = append(files, ledger.File{ID: id, Kind: transcript.KindOf(name), Name: transcript.NameKey(name)})
		for line := range strings.Lines(tree[name]) {
			all = append(all, batchOf(id, []string{line}))
		}
	}
	return all, files
}

func read(b *ledger.Batch) func(*ledger.Ledger, int64) {
	return func(l *ledger.Ledger, _ int64) {
		l.AddBatch(b)
		l.Settle()
	}
}

// started returns a state whose journal is in dir, and which has opened some files.
func started(t *testing.T, dir string, files []ledger.File, fails func() error) (*State, *checkpoint.Store) {
	t.Helper()
	store, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := newState()
	s.Start()
	save(t, s, store)
	s.SetJournal(&journalOf{store, fails})
	for _, f := range files {
		s.Change(func(l *ledger.Ledger, _ int64) { l.Open(f) })
	}
	return s, store
}

func save(t *testing.T, s *State, store *checkpoint.Store) {
	t.Helper()
	generation, snapshot, err := s.Encode(store.Rotate)
	if err == nil {
		err = store.Commit(generation, snapshot)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Saved()
}

// loaded returns the data that readers see of the state in dir after a restart.
func loaded(t *testing.T, dir string) string {
	t.Helper()
	return seen(restarted(t, dir))
}

// restarted returns the state in dir as after a restart.
func restarted(t *testing.T, dir string) *State {
	t.Helper()
	store, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // only read
	s := newState()
	report, err := store.Load(s.LoadSnapshot, s.Replay)
	if err = errors.Join(err, s.Restored(report.Snapshot, report.Journals)); err != nil || len(report.Damage) > 0 {
		t.Fatal(err, report.Damage)
	}
	s.Change(func(l *ledger.Ledger, _ int64) { l.Configure(ledgertest.Options()) })
	return s
}

// copyOf returns a copy of a state directory with a truncated journal.
func copyOf(t *testing.T, dir string, length int) string {
	t.Helper()
	to := t.TempDir()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b := filetest.Read(t, filepath.Join(dir, e.Name()))
		if strings.HasPrefix(e.Name(), "journal-") {
			b = b[:min(length, len(b))]
		}
		filetest.Write(t, filepath.Join(to, e.Name()), b)
	}
	return to
}

// After every frame, a restart restores the data that readers saw. A truncated frame
// restores the data before it.
func TestRestartAfterEveryFrame(t *testing.T) {
	batches, files := lines(1)
	dir := t.TempDir()
	s, store := started(t, dir, files, func() error { return nil })
	var ends []int
	var views []string
	for i := range batches {
		s.Change(read(&batches[i]))
		s.Release(s.Pending()) // a restart shows all values
		journals, err := filepath.Glob(filepath.Join(dir, "journal-*"))
		if err != nil || len(journals) != 1 {
			t.Fatal(err, journals)
		}
		info, err := os.Stat(journals[0])
		if err != nil {
			t.Fatal(err)
		}
		ends, views = append(ends, int(info.Size())), append(views, seen(s))
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for i, end := range ends {
		if i%4 != 0 && i < len(ends)-1 {
			continue
		}
		if loaded(t, copyOf(t, dir, end)) != views[i] {
			t.Fatalf("after frame %d, a restart shows something else", i)
		}
	}
	last := len(ends) - 1
	for cut := ends[last-1]; cut < ends[last]; cut++ {
		if loaded(t, copyOf(t, dir, cut)) != views[last-1] {
			t.Fatalf("with %d of %d bytes of the last frame, a restart does not show what was before", cut-ends[last-1], ends[last]-ends[last-1])
		}
	}
}

// When a frame cannot be appended, readers see the same as after a restart, until a
// snapshot is written.
func TestFailedAppend(t *testing.T) {
	batches, files := lines(2)
	full := errors.New("full")
	for fail := 0; fail < len(batches); fail += 7 {
		dir := t.TempDir()
		appended := -len(files)
		s, store := started(t, dir, files, func() error {
			if appended++; appended > fail {
				return full
			}
			return nil
		})
		for i := range batches {
			s.Change(read(&batches[i]))
			if s.PausedBy() == nil {
				s.Release(s.Pending())
			}
		}
		if !errors.Is(s.PausedBy(), full) {
			t.Fatalf("failure %d: got %v, want a pause", fail, s.PausedBy())
		}
		if got := loaded(t, copyOf(t, dir, math.MaxInt)); got != seen(s) {
			t.Fatalf("failure %d: readers see something else than a restart shows", fail)
		}
		save(t, s, store)
		s.Release(s.Pending())
		if s.PausedBy() != nil || loaded(t, copyOf(t, dir, math.MaxInt)) != seen(s) {
			t.Fatalf("failure %d: after a snapshot, readers do not see what a restart shows", fail)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A failingJournal fails on demand.
type failingJournal struct{ err error }

func (b *failingJournal) Append([]byte) error { return b.err }

// truncations returns the number of truncated files.
func truncations(families []counters.FamilySamples) (n uint64) {
	i := slices.IndexFunc(families, func(f counters.FamilySamples) bool { return f.Family.Name == "ccwatchd_file_resets_total" })
	for _, s := range families[i].Samples {
		if s.Labels[0] == ledger.Truncated {
			n += s.Value
		}
	}
	return n
}

// A change after a snapshot that is not in the journal is exposed once the next
// snapshot has been written, not when the first snapshot has.
func TestPausedUntilNextSnapshot(t *testing.T) {
	j := new(failingJournal)
	s := newState()
	s.Start()
	s.SetJournal(j)
	reset := func() {
		s.Change(func(l *ledger.Ledger, now int64) { l.Reset(0, ledger.Truncated, now) })
	}
	want := func(when string, want uint64) {
		t.Helper()
		var snap ledger.Snapshot
		if s.SnapshotInto(&snap); truncations(snap.Families) != want {
			t.Errorf("%s: %d resets exposed, want %d", when, truncations(snap.Families), want)
		}
	}
	encode := func() {
		t.Helper()
		if _, _, err := s.Encode(func() (uint64, error) { return 1, nil }); err != nil {
			t.Fatal(err)
		}
	}
	reset()
	want("while the journal works", 1)
	encode()
	j.err = errors.New("full")
	reset()
	j.err = nil
	s.Saved()
	want("after a change in neither the snapshot nor the journal", 1)
	encode()
	want("before the snapshot is written", 1)
	reset()
	s.Saved()
	want("after a change that was written nowhere", 1)
	encode()
	s.Saved()
	want("after the next snapshot", 3)
}

// A snapshot that cannot be read leaves an empty state.
func TestInvalidSnapshot(t *testing.T) {
	s := newState()
	empty := seen(s)
	batches, files := lines(3)
	for _, f := range files {
		s.Change(func(l *ledger.Ledger, _ int64) { l.Open(f) })
	}
	for i := range batches {
		s.Change(read(&batches[i]))
	}
	_, snapshot, err := s.Encode(func() (uint64, error) { return 1, nil })
	if err != nil {
		t.Fatal(err)
	}
	again := newState()
	whole := make(map[int]bool) // cuts between tables, as in a state that lacks the last tables
	for at := 0; at < len(snapshot); {
		_, _, n := protowire.ConsumeField(snapshot[at:])
		at += n
		whole[at] = true
	}
	for cut := 1; cut < len(snapshot); cut += len(snapshot)/50 + 1 {
		if whole[cut] {
			cut++
		}
		if err := again.LoadSnapshot(1, snapshot[:cut]); err == nil || seen(again) != empty {
			t.Fatalf("with %d of %d bytes: got %v, want an error and an empty state", cut, len(snapshot), err)
		}
	}
	if err := again.LoadSnapshot(1, snapshot); err != nil || seen(again) == empty {
		t.Fatalf("got %v, want the state", err)
	}
}

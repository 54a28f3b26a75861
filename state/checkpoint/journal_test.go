package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var f fold
	if r, err := s.Load(f.restore, f.apply); err != nil || r.Restored || r.Frames != 0 || r.Damage != nil || f != nil {
		t.Fatalf("loaded %v, %v, %v from an empty directory", f, r, err)
	}
	if err := s.Append([]byte("early")); !errors.Is(err, ErrNoJournal) {
		t.Fatalf("append without a journal: got %v, want ErrNoJournal", err)
	}
	first := rotate(t, s)
	if first != 1 {
		t.Errorf("first journal is %d, want 1", first)
	}
	commit(t, s, first, "")
	if got := read(t, dir).names(); got != "journal-1 state" {
		t.Errorf("files are %s", got)
	}
	appendFrames(t, s, "a", strings.Repeat("b", 3<<20), "c")
	closeStore(t, s)

	long := "a," + strings.Repeat("b", 3<<20) + ",c"
	s = open(t, dir)
	r, err := s.Load(f.restore, f.apply)
	if err != nil || !r.Restored || r.Frames != 3 || r.Damage != nil || f.String() != long {
		t.Fatalf("loaded %d bytes, %v, %v", len(f.String()), r, err)
	}
	second := rotate(t, s)
	if second != 2 {
		t.Errorf("second journal is %d, want 2", second)
	}
	commit(t, s, second, f.String())
	appendFrames(t, s, "d")
	if got := read(t, dir).names(); got != "journal-2 state" {
		t.Errorf("files are %s", got)
	}
	closeStore(t, s)
	if r := wantLoaded(t, dir, long+",d", 0); r.Frames != 1 {
		t.Errorf("replayed %d frames, want 1", r.Frames)
	}
}

func TestAppendEmptyStep(t *testing.T) {
	s := open(t, t.TempDir())
	rotate(t, s)
	if err := s.Append(nil); err == nil || errors.Is(err, ErrNoJournal) {
		t.Errorf("append an empty frame: %v", err)
	}
	appendFrames(t, s, "the journal continues")
}

// A process that dies while writing leaves a partial frame: the complete frames before
// it are replayed, and no damage is reported.
func TestLastJournalTruncated(t *testing.T) {
	d := sample(t)
	last := d["journal-2"]
	frame := frameHeader + len("e")
	for cut := range len(last) + 1 {
		dir := d.with("journal-2", last[:cut]).write(t)
		want := "a,b,c,ddd"
		if cut >= headerEnd(last)+frame {
			want += ",e"
		}
		if wantLoaded(t, dir, want, 0); t.Failed() {
			t.Fatal(caseName("cut", cut))
		}
	}
}

// A journal that lost its end, even at the boundary of a frame, is not continued by its
// successor.
func TestEarlierJournalTruncated(t *testing.T) {
	d := sample(t)
	first := d["journal-1"]
	for cut := range len(first) {
		frames := []string{"a", "b", "c", "ddd"}[:2]
		if cut >= headerEnd(first)+frameHeader+len("c") {
			frames = append(frames, "c")
		}
		dir := d.with("journal-1", first[:cut]).write(t)
		if wantLoaded(t, dir, strings.Join(frames, ","), 1); t.Failed() {
			t.Fatal(caseName("cut", cut))
		}
	}
}

// With any bit of a frame flipped, only the frames before the frame are replayed.
func TestFrameBitFlipped(t *testing.T) {
	contents := []string{"first", "second frame", "x"}
	var frames []byte
	var ends []int
	for _, content := range contents {
		frames = append(appendFrameHeader(frames, []byte(content)), content...)
		ends = append(ends, len(frames))
	}
	for bit := range 8 * len(frames) {
		var got fold
		err := replay([]byte(flipped(string(frames), bit)), func(b []byte) error { return got.apply(Format, b) })
		var want fold
		for i, end := range ends {
			if bit/8 >= end {
				want = append(want, contents[i])
			}
		}
		if !errors.Is(err, errDamaged) || got.String() != want.String() {
			t.Fatalf("bit %d flipped: replayed %q, %v; want %q", bit, got, err, want)
		}
	}
}

func TestFailedAppend(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "a")
	appendFrames(t, s, "b")
	if err := s.journal.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Append([]byte("lost")); err == nil || errors.Is(err, ErrNoJournal) || !errors.Is(err, os.ErrClosed) {
		t.Fatalf("got %v, want the write error", err)
	}
	for range 2 {
		if err := s.Append([]byte("lost too")); !errors.Is(err, ErrNoJournal) {
			t.Fatalf("got %v, want ErrNoJournal", err)
		}
	}
	if err := s.Sync(); err != nil {
		t.Errorf("sync without a journal: %v", err)
	}
	wantAfterCrash(t, dir, "a,b", 0)

	// Frames appended now follow frames that are in no journal, so they count only with
	// a snapshot that includes the lost frames.
	g := rotate(t, s)
	wantAfterCrash(t, dir, "a,b", 0)
	appendFrames(t, s, "d")
	wantAfterCrash(t, dir, "a,b", 1)
	commit(t, s, g, "a,b,lost,lost too")
	wantAfterCrash(t, dir, "a,b,lost,lost too,d", 0)
}

func TestFailedRotate(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "a")
	appendFrames(t, s, "b")
	if err := os.Mkdir(s.path(journalFile(2)), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Rotate(); err == nil || !strings.HasPrefix(err.Error(), "start journal: ") {
		t.Fatalf("got %v, want a failure to start the journal", err)
	}
	appendFrames(t, s, "d")
	if err := os.Remove(s.path(journalFile(2))); err != nil {
		t.Fatal(err)
	}
	wantAfterCrash(t, dir, "a,b,d", 0)
	commit(t, s, rotate(t, s), "a,b,d")
	wantAfterCrash(t, dir, "a,b,d", 0)
}

func TestFailedCommit(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "a")
	appendFrames(t, s, "b")
	g := rotate(t, s)
	appendFrames(t, s, "c")
	state := s.path(snapshotName)
	if err := os.Rename(state, state+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.path(snapshotName)+"/x", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(g, []byte("a,b")); err == nil || !strings.HasPrefix(err.Error(), "write snapshot: ") {
		t.Fatalf("got %v, want a failure to write the snapshot", err)
	}
	appendFrames(t, s, "d")
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(state+".old", state); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir).names(); got != "journal-1 journal-2 state" {
		t.Errorf("files are %s", got)
	}
	wantAfterCrash(t, dir, "a,b,c,d", 0)
}

func TestFailedSync(t *testing.T) {
	s := open(t, t.TempDir())
	commit(t, s, rotate(t, s), "begin")
	appendFrames(t, s, "a")
	good := s.journal
	r, w, err := os.Pipe() // a pipe cannot be synced
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(); _ = w.Close() }()
	s.journal = w
	for range 2 {
		if err := s.Sync(); err == nil || !strings.HasPrefix(err.Error(), "sync journal: ") {
			t.Fatalf("got %v, want a failure of each sync", err)
		}
	}
	if err := good.Close(); err != nil {
		t.Fatal(err)
	}
	// Frames that were not synced are lost only if the machine dies. Then the next journal
	// does not count until the snapshot is written.
	g := rotate(t, s)
	appendFrames(t, s, "c")
	kept := read(t, s.dir)
	wantLoaded(t, kept.write(t), "begin,a,c", 0)
	lost := kept.with("journal-1", kept["journal-1"][:headerEnd(kept["journal-1"])])
	wantLoaded(t, lost.write(t), "begin", 1)
	commit(t, s, g, "begin,a")
	lost["state"] = read(t, s.dir)["state"]
	wantLoaded(t, lost.write(t), "begin,a,c", 0)
}

// Repeated attempts to write a snapshot do not accumulate journals.
func TestRotateReusesEmptyJournal(t *testing.T) {
	s := open(t, t.TempDir())
	first := rotate(t, s)
	if again := rotate(t, s); again != first {
		t.Errorf("got journal %d, want the empty journal %d again", again, first)
	}
	appendFrames(t, s, "a")
	if next := rotate(t, s); next != first+1 {
		t.Errorf("got journal %d after journal %d", next, first)
	}
}

// Append and Rotate run while other goroutines sync.
func TestConcurrentSync(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "begin")
	stop := make(chan struct{})
	var syncers sync.WaitGroup
	for range 2 {
		syncers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := s.Sync(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	want := []byte("begin")
	for i := range 200 {
		frame := fmt.Sprint(i)
		appendFrames(t, s, frame)
		want = fmt.Appendf(want, ",%s", frame)
		if i%50 == 49 {
			rotate(t, s)
		}
	}
	close(stop)
	syncers.Wait()
	closeStore(t, s)
	wantLoaded(t, dir, string(want), 0)
}

func FuzzReplay(f *testing.F) {
	h := header{format: Format, generation: 3, follows: 2}
	good := h.bytes(journalMagic)
	good = append(appendFrameHeader(good, []byte("frame")), "frame"...)
	f.Add(good)
	f.Add(good[:len(good)-1])
	s := &Store{format: Format}
	f.Fuzz(func(t *testing.T, journal []byte) {
		var frames fold
		h, complete, err := s.replayJournal(new(Report), journal, 3, func(h header) bool { return h.follows == 2 }, frames.apply)
		if err != nil || len(frames) == 0 {
			return
		}
		// The accepted frames encode to exactly the accepted bytes.
		again := slices.Clone(journal[:h.size])
		for _, content := range frames {
			again = append(appendFrameHeader(again, []byte(content)), content...)
		}
		if !bytes.HasPrefix(journal, again) || complete != (len(again) == len(journal)) {
			t.Errorf("journal %q was replayed as %q", journal, frames)
		}
	})
}

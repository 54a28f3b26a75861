package checkpoint

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A snapshot replaces its predecessor by renaming, so a process that has the
// predecessor open reads all of it, and the name never refers to a partial file.
func TestSnapshotIsReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be replaced")
	}
	s := open(t, t.TempDir())
	before := strings.Repeat("before,", 100)
	commit(t, s, rotate(t, s), before)
	f, err := os.Open(s.path(snapshotName))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	commit(t, s, rotate(t, s), "after")
	if b, err := io.ReadAll(f); err != nil || !strings.Contains(string(b), before) {
		t.Errorf("%d bytes of the previous snapshot are readable, %v: %.100q", len(b), err, b)
	}
}

// A journal that cannot be removed does not make Commit fail. Load ignores it, and a
// later Commit removes it.
func TestJournalCannotBeRemoved(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "a")
	appendFrames(t, s, "b")
	g := rotate(t, s)
	appendFrames(t, s, "c")
	// A directory that is not empty cannot be removed, nor read as a journal.
	journal := s.path(journalFile(1))
	content := filepath.Join(journal, "content")
	if err := errors.Join(os.Remove(journal), os.Mkdir(journal, 0o700), os.WriteFile(content, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	commit(t, s, g, "a,b")
	if !exists(journal) {
		t.Fatal("the journal was removed")
	}
	closeStore(t, s)

	s = open(t, dir)
	var f fold
	if r, err := s.Load(f.restore, f.apply); err != nil || f.String() != "a,b,c" || len(r.Damage) > 0 || !s.Resume() {
		t.Fatalf("loaded %q, %v, %v; want to resume all frames", f.String(), r.Damage, err)
	}
	appendFrames(t, s, "d")
	g = rotate(t, s)
	if err := os.Remove(content); err != nil {
		t.Fatal(err)
	}
	commit(t, s, g, "a,b,c,d")
	if got := read(t, dir).names(); got != "journal-3 state" {
		t.Errorf("files are %s", got)
	}
}

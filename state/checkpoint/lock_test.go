package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// A loss removes or replaces files of a running process.
type loss struct {
	name string
	do   func(t *testing.T, dir string)
	// check is the error of Check; foreign are the quarantined files afterwards.
	check, foreign string
}

func losses() []loss {
	remove := func(names ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			for _, name := range names {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return []loss{
		{"nothing", func(*testing.T, string) {}, "", ""},
		{"the directory", func(t *testing.T, dir string) { removeAll(t, dir) }, "lock is missing", ""},
		{"the directory and the one above", func(t *testing.T, dir string) { removeAll(t, filepath.Dir(dir)) }, "lock is missing", ""},
		{"the lock", remove("lock"), "lock is missing", ""},
		{"the snapshot", remove("state"), "state is missing", ""},
		{"the journal", remove("journal-1"), "journal-1 is missing", ""},
		{"the pid", remove("pid"), "", ""},
		{"all but the lock", remove("state", "journal-1", "pid"), "state is missing", ""},
		{"another lock", replaceFile("lock"), "lock was replaced or changed", ""},
		{"another snapshot", replaceFile("state"), "state was replaced or changed", ""},
		{"a cut journal", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "journal-1"), 3); err != nil {
				t.Fatal(err)
			}
		}, "journal-1 was replaced or changed", ""},
		{"the directory, replaced by an empty one", func(t *testing.T, dir string) {
			move(t, dir, dir+"-away")
			makeDirectory(t, dir)
		}, "lock is missing", ""},
		{"the directory, replaced by that of another process", func(t *testing.T, dir string) {
			move(t, dir, dir+"-away")
			move(t, sample(t).with("journal-9", "?").write(t), dir)
			if err := os.Chmod(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "lock was replaced or changed", "journal-1.foreign-1 journal-2.foreign-1 journal-9.foreign-1 state.foreign-1"},
		{"the directory, and moved back", func(t *testing.T, dir string) {
			move(t, dir, dir+"-away")
			move(t, dir+"-away", dir)
		}, "", ""},
	}
}

// Check detects every removed, moved or replaced file, and Reacquire repairs it.
func TestReacquire(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files can be neither removed nor moved")
	}
	for _, tt := range losses() {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "above", "state")
			s := open(t, dir)
			commit(t, s, rotate(t, s), "a")
			appendFrames(t, s, "b")
			tt.do(t, dir)
			if err := s.Check(); errorText(err) != tt.check {
				t.Fatalf("Check returned %v, want %q", err, tt.check)
			}
			quarantined, err := s.Reacquire()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Append([]byte("c")); !errors.Is(err, ErrNoJournal) {
				t.Errorf("Append before the next snapshot: got %v, want ErrNoJournal", err)
			}
			commit(t, s, rotate(t, s), "a,b,c")
			appendFrames(t, s, "d")
			if err := s.Check(); err != nil {
				t.Errorf("Check returned %v afterwards", err)
			}
			if _, err := Open(dir); !errors.As(err, new(*LockedError)) {
				t.Errorf("the directory is not locked: %v", err)
			}
			var foreign []string
			for name := range strings.FieldsSeq(read(t, dir).names()) {
				if strings.Contains(name, "foreign") {
					foreign = append(foreign, name)
				}
			}
			if got := strings.Join(foreign, " "); got != tt.foreign || len(foreign) != len(quarantined) {
				t.Errorf("quarantined %q, reported %q, want %q", got, errorsText(quarantined), tt.foreign)
			}
			for _, d := range []string{dir, filepath.Dir(dir)} {
				if got := mode(t, d); got != 0o700 {
					t.Errorf("%s has mode %o", d, got)
				}
			}
			wantAfterCrash(t, dir, "a,b,c,d", 0)
			closeStore(t, s)
			wantLoaded(t, dir, "a,b,c,d", 0)
		})
	}
}

// A loaded state is not foreign, even before the first snapshot.
func TestReacquireAfterLoad(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open lock cannot be removed")
	}
	dir := sample(t).write(t)
	s := open(t, dir)
	mustLoad(t, s)
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	if quarantined, err := s.Reacquire(); err != nil || quarantined != nil {
		t.Errorf("quarantined %v, %v", quarantined, err)
	}
	wantAfterCrash(t, dir, "a,b,c,ddd,e", 0)
}

// If the lock was removed and another process has locked the directory, the first
// process does not touch it until the other process has released it.
func TestReacquireLockedDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open lock cannot be removed")
	}
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "a")
	appendFrames(t, s, "b")
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	other := open(t, dir)
	mustLoad(t, other)
	commit(t, other, rotate(t, other), "theirs")
	before := read(t, dir)
	for range 2 {
		if s.Check() == nil {
			t.Error("Check returned nil")
		}
		if _, err := s.Reacquire(); !errors.As(err, new(*LockedError)) {
			t.Errorf("got %v, want *LockedError", err)
		}
	}
	if after := read(t, dir); after.names() != before.names() || after["state"] != before["state"] {
		t.Errorf("files of the other process changed: %s", after.names())
	}
	if err := other.Check(); err != nil {
		t.Errorf("Check of the other process returned %v", err)
	}
	closeStore(t, other)
	if quarantined, err := s.Reacquire(); err != nil || len(quarantined) != 2 {
		t.Errorf("quarantined %v, %v; want the snapshot and the journal of the other process", quarantined, err)
	}
	commit(t, s, rotate(t, s), "a,b")
	wantAfterCrash(t, dir, "a,b", 0)
}

func removeAll(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func makeDirectory(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// replaceFile replaces a file with another file of the same content.
func replaceFile(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		b := filetest.Read(t, filepath.Join(dir, name))
		filetest.Write(t, filepath.Join(dir, "new"), b)
		move(t, filepath.Join(dir, "new"), filepath.Join(dir, name))
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

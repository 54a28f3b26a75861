package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A loss is something that is done to the directory of a running process.
type loss struct {
	name string
	do   func(t *testing.T, dir string)
	// said is what Check says; foreign is what another process has left.
	said, foreign string
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
		{"the directory", func(t *testing.T, dir string) { removeAll(t, dir) }, "lock is not there any more", ""},
		{"the directory and the one above", func(t *testing.T, dir string) { removeAll(t, filepath.Dir(dir)) }, "lock is not there any more", ""},
		{"the lock", remove("lock"), "lock is not there any more", ""},
		{"the snapshot", remove("state"), "state is not there any more", ""},
		{"the journal", remove("journal-1"), "journal-1 is not there any more", ""},
		{"the pid", remove("pid"), "", ""},
		{"all but the lock", remove("state", "journal-1", "pid"), "state is not there any more", ""},
		{"another lock", exchange("lock"), "lock is not what was written", ""},
		{"another snapshot", exchange("state"), "state is not what was written", ""},
		{"a cut journal", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "journal-1"), 3); err != nil {
				t.Fatal(err)
			}
		}, "journal-1 is not what was written", ""},
		{"the directory, for an empty one", func(t *testing.T, dir string) {
			move(t, dir, dir+"-away")
			makeDirectory(t, dir)
		}, "lock is not there any more", ""},
		{"the directory, for that of another", func(t *testing.T, dir string) {
			move(t, dir, dir+"-away")
			move(t, sample(t).with("journal-9", "?").write(t), dir)
			if err := os.Chmod(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "lock is not what was written", "journal-1.foreign-1 journal-2.foreign-1 journal-9.foreign-1 state.foreign-1"},
		{"the directory, and back", func(t *testing.T, dir string) {
			move(t, dir, dir+"-away")
			move(t, dir+"-away", dir)
		}, "", ""},
	}
}

// Whatever is removed, moved away or replaced is noticed, and after possession
// was taken again everything is whole.
func TestRetake(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open can be neither removed nor moved")
	}
	for _, tt := range losses() {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "above", "state")
			s := open(t, dir)
			commit(t, s, rotate(t, s), "a")
			appendSteps(t, s, "b")
			tt.do(t, dir)
			if err := s.Check(); errorText(err) != tt.said {
				t.Fatalf("Check says %v, want %q", err, tt.said)
			}
			aside, err := s.Reacquire()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Append([]byte("c")); !errors.Is(err, ErrNoJournal) {
				t.Errorf("Append takes a step before everything is whole: %v", err)
			}
			commit(t, s, rotate(t, s), "a,b,c")
			appendSteps(t, s, "d")
			if err := s.Check(); err != nil {
				t.Errorf("Check says %v afterwards", err)
			}
			if _, err := Open(dir); !errors.As(err, new(*LockedError)) {
				t.Errorf("another process may have it: %v", err)
			}
			var foreign []string
			for name := range strings.FieldsSeq(read(t, dir).names()) {
				if strings.Contains(name, "foreign") {
					foreign = append(foreign, name)
				}
			}
			if got := strings.Join(foreign, " "); got != tt.foreign || len(foreign) != len(aside) {
				t.Errorf("%q are set aside and told as %q, want %q", got, errorsText(aside), tt.foreign)
			}
			for _, d := range []string{dir, filepath.Dir(dir)} {
				if got := mode(t, d); got != 0o700 {
					t.Errorf("%s has mode %o", d, got)
				}
			}
			wantLoaded(t, read(t, dir).write(t), "a,b,c,d", 0)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			wantLoaded(t, dir, "a,b,c,d", 0) // it was let go
		})
	}
}

// A state that was loaded is ours, also before the first snapshot after that.
func TestRetakeAfterLoad(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open lock cannot be removed")
	}
	dir := sample(t).write(t)
	s := open(t, dir)
	var f fold
	if _, err := s.Load(f.restore, f.apply); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	if aside, err := s.Reacquire(); err != nil || aside != nil {
		t.Errorf("set aside %v, %v", aside, err)
	}
	wantLoaded(t, read(t, dir).write(t), "a,b,c,ddd,e", 0)
}

// Where the lock was removed and another process has taken the directory, the
// first one does not touch it any more, until that is gone.
func TestRetakeOfWhatAnotherHas(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open lock cannot be removed")
	}
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "a")
	appendSteps(t, s, "b")
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	other := open(t, dir)
	var f fold
	if _, err := other.Load(f.restore, f.apply); err != nil {
		t.Fatal(err)
	}
	commit(t, other, rotate(t, other), "theirs")
	before := read(t, dir)
	for range 2 {
		if s.Check() == nil {
			t.Error("nothing is noticed")
		}
		if _, err := s.Reacquire(); !errors.As(err, new(*LockedError)) {
			t.Errorf("got %v, want *LockedError", err)
		}
	}
	if after := read(t, dir); after.names() != before.names() || after["state"] != before["state"] {
		t.Errorf("what the other has was touched: %s", after.names())
	}
	if err := other.Check(); err != nil {
		t.Errorf("the other one has lost something: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if aside, err := s.Reacquire(); err != nil || len(aside) != 2 {
		t.Errorf("set aside %v, %v; want the snapshot and the journal of the other", aside, err)
	}
	commit(t, s, rotate(t, s), "a,b")
	wantLoaded(t, read(t, dir).write(t), "a,b", 0)
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

// exchange puts another file with the same content in the place of one.
func exchange(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "new"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		move(t, filepath.Join(dir, "new"), filepath.Join(dir, name))
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

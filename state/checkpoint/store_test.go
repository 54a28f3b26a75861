package checkpoint

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// lockVariable names the directory that a child process locks.
const lockVariable = "CHECKPOINT_TEST_HOLD"

// holdLock locks a directory until standard input ends.
func holdLock(dir string) {
	s, err := Open(dir)
	_, _ = fmt.Fprintln(os.Stdout, "open:", err)
	_, _ = io.Copy(io.Discard, os.Stdin)
	if s != nil {
		_ = s.Close()
	}
}

func TestLockedByOtherProcess(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), lockVariable+"="+dir)
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = child.Process.Kill(); _ = child.Wait() })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "open: <nil>\n" {
		t.Fatalf("child printed %q, %v", line, err)
	}

	_, err = Open(dir)
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Dir != dir || locked.PID != child.Process.Pid {
		t.Fatalf("got %v, want that process %d locks %s", err, child.Process.Pid, dir)
	}
	if want := fmt.Sprintf("in use by the process with pid %d", locked.PID); !strings.Contains(err.Error(), want) {
		t.Errorf("message %q does not contain %q", err, want)
	}

	// The death of a process releases the lock.
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	open(t, dir)
}

func TestLockedBySameProcess(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var locked *LockedError
	if _, err := Open(dir); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("got %v, want a *LockedError with the pid of this process", err)
	}
	filetest.Write(t, filepath.Join(dir, pidName), "?\n")
	if _, err := Open(dir); !errors.As(err, &locked) || locked.PID != 0 || !strings.HasSuffix(err.Error(), "in use by another process") {
		t.Errorf("got %v, want a *LockedError without a pid", err)
	}
	if err := os.Remove(filepath.Join(dir, pidName)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.As(err, &locked) || locked.PID != 0 {
		t.Errorf("got %v, want a *LockedError without a pid", err)
	}
	closeStore(t, s)
	open(t, dir)
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, dir)
	commit(t, s, rotate(t, s), "state")
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if got := mode(t, d); got != 0o700 {
			t.Errorf("%s has mode %o", d, got)
		}
	}
	for name := range read(t, dir) {
		if got := mode(t, filepath.Join(dir, name)); got != 0o600 {
			t.Errorf("%s has mode %o", name, got)
		}
	}
}

func TestCannotOpen(t *testing.T) {
	occupied := func(name string) string {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	file := filepath.Join(t.TempDir(), "file")
	filetest.Write(t, file, "")
	for _, tt := range []struct{ name, dir, want string }{
		{"a file has the name of the directory", file, "create state directory: "},
		{"a file is the parent", filepath.Join(file, "below"), "create state directory: "},
		{"the lock is a directory", occupied(lockName), "lock state directory: "},
		{"the pid is a directory", occupied(pidName), "write to state directory: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Open(tt.dir); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with prefix %q", err, tt.want)
			}
		})
	}
}

// A failed Open releases the lock.
func TestFailedOpenReleasesLock(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, pidName)
	if err := os.Mkdir(pid, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil {
		t.Fatal("opened a directory that cannot be written to")
	}
	if err := os.Remove(pid); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

func TestUnwritableDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if f, err := os.CreateTemp(dir, "x"); err == nil {
		_ = f.Close()
		t.Skip("this user can write everywhere")
	}
	if _, err := Open(dir); err == nil || !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v, want os.ErrPermission", err)
	}
}

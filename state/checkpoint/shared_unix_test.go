//go:build unix

package checkpoint

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// A directory that other users can write to is recognized.
func TestSharedMode(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{0o700: "", 0o755: "", 0o777: "0777", 0o720: "0720", 0o702: "0702", fs.ModeSticky | 0o777: "0777"} {
		dir := filepath.Join(t.TempDir(), "state")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.SharedMode(); got != want || err != nil {
			t.Errorf("%v: got %q and %v, want %q", mode, got, err, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A directory of another user is recognized too: its owner can give everybody access.
func TestSharedModeOfOtherUser(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chown(dir, 12345, -1); err != nil {
		t.Skip("needs root: ", err)
	}
	s := &Store{dir: dir}
	if got, err := s.SharedMode(); got == "" || err != nil {
		t.Errorf("got %q and %v", got, err)
	}
	if _, err := (&Store{dir: filepath.Join(dir, "missing")}).SharedMode(); err == nil {
		t.Error("a missing directory has no error")
	}
}

// The address in a link, in a FIFO or of another user does not count.
func TestAddressOfOtherUser(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, addressName)
	want := func(what string, want bool) {
		t.Helper()
		if a, ok := ReadAddress(dir); ok != want {
			t.Errorf("%s: got %v, %v", what, a, ok)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	filetest.Write(t, path, addressText("http://localhost:1"))
	other := filepath.Join(dir, "other")
	if err := os.Link(path, other); err != nil {
		t.Fatal(err)
	}
	want("a file", true)
	if err := os.Symlink(other, path); err != nil {
		t.Fatal(err)
	}
	want("a link", false)
	makeFIFO(t, dir, addressName)
	want("a FIFO", false)
	if err := os.Chown(other, 12345, -1); err != nil {
		t.Skip("needs root: ", err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	want("a file of another user", false)
}

package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

// TestMain also runs the child process that holds the lock of a directory.
func TestMain(m *testing.M) {
	if dir := os.Getenv(lockVariable); dir != "" {
		holdLock(dir)
		return
	}
	leaktest.Main(m)
}

// A fold is the state of these tests: the applied frames, in order.
type fold []string

func (f *fold) restore(_ uint32, state []byte) error {
	if string(state) == "unreadable" {
		return errors.New("unreadable")
	}
	*f = strings.Split(string(state), ",")
	if len(state) == 0 {
		*f = nil
	}
	return nil
}

// apply applies a part of a bad frame.
func (f *fold) apply(_ uint32, frame []byte) error {
	if string(frame) == "bad" {
		*f = append(*f, "part of it")
		return errors.New("bad frame")
	}
	*f = append(*f, string(frame))
	return nil
}

func (f *fold) String() string { return strings.Join(*f, ",") }

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func closeStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func mustLoad(t testing.TB, s *Store) (f fold) {
	t.Helper()
	if _, err := s.Load(f.restore, f.apply); err != nil {
		t.Fatal(err)
	}
	return f
}

// load opens a directory as a new process would, loads it and closes it.
func load(t testing.TB, dir string) (fold, Report, error) {
	t.Helper()
	s := open(t, dir)
	var f fold
	r, err := s.Load(f.restore, f.apply)
	closeStore(t, s)
	return f, r, err
}

// wantLoaded checks that loading a directory gives exactly the frames, and reports the
// given number of damaged files.
func wantLoaded(t testing.TB, dir, frames string, damages int) Report {
	t.Helper()
	f, r, err := load(t, dir)
	if err != nil || f.String() != frames || len(r.Damage) != damages {
		t.Errorf("loaded %q with damage %q, %v; want %q with %d damages", f.String(), r.Damage, err, frames, damages)
	}
	return r
}

// wantAfterCrash is wantLoaded for a copy of the directory: as if the process had died
// now.
func wantAfterCrash(t testing.TB, dir, frames string, damages int) {
	t.Helper()
	wantLoaded(t, read(t, dir).write(t), frames, damages)
}

func rotate(t testing.TB, s *Store) uint64 {
	t.Helper()
	g, err := s.Rotate()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func commit(t testing.TB, s *Store, generation uint64, state string) {
	t.Helper()
	if err := s.Commit(generation, []byte(state)); err != nil {
		t.Fatal(err)
	}
}

func appendFrames(t testing.TB, s *Store, frames ...string) {
	t.Helper()
	for _, frame := range frames {
		if err := s.Append([]byte(frame)); err != nil {
			t.Fatal(err)
		}
	}
}

// A directory maps the file names of a state directory to their content.
type directory map[string]string

func read(t testing.TB, dir string) directory {
	t.Helper()
	files := make(directory)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files[e.Name()] = filetest.Read(t, filepath.Join(dir, e.Name()))
	}
	return files
}

// write creates a new directory with that content.
func (d directory) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range d {
		filetest.Write(t, filepath.Join(dir, name), content)
	}
	return dir
}

// with returns a copy with one file added or replaced.
func (d directory) with(name, content string) directory {
	other := maps.Clone(d)
	other[name] = content
	return other
}

// without returns a copy with one file removed.
func (d directory) without(name string) directory {
	other := maps.Clone(d)
	delete(other, name)
	return other
}

// names returns the names of all files except the lock and the pid, sorted.
func (d directory) names() string {
	names := slices.Sorted(maps.Keys(d))
	return strings.Join(slices.DeleteFunc(names, func(n string) bool { return n == lockName || n == pidName }), " ")
}

// sample is a directory with a snapshot and two later journals: a b | c ddd | e.
func sample(t testing.TB) directory {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "a,b")
	appendFrames(t, s, "c", "ddd")
	rotate(t, s)
	appendFrames(t, s, "e")
	closeStore(t, s)
	return read(t, dir)
}

func flipped(s string, bit int) string {
	b := []byte(s)
	b[bit/8] ^= 1 << (bit % 8)
	return string(b)
}

func mode(t testing.TB, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func caseName(name string, i int) string { return fmt.Sprintf("%s at %d", name, i) }

// headerEnd returns the length of a journal without any frame.
func headerEnd(journal string) int {
	h, _, err := parseHeader([]byte(journal), journalMagic, Format)
	if err != nil {
		panic(err)
	}
	return h.size
}

// journalHead returns the start of a journal, without any frame.
func journalHead(generation, follows uint64, length int) string {
	h := header{format: Format, generation: generation, follows: follows, length: int64(length)}
	return string(h.bytes(journalMagic))
}

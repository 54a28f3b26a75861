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

	"github.com/ccwatchd/ccwatchd/internal/leaktest"
)

// TestMain lets the test binary be the other process that has the directory.
func TestMain(m *testing.M) {
	if dir := os.Getenv(holdVariable); dir != "" {
		hold(dir)
		return
	}
	leaktest.Main(m)
}

// A fold is the state of these tests: the steps that it took, in their order.
type fold []string

func (f *fold) restore(state []byte) error {
	if string(state) == "unreadable" {
		return errors.New("unreadable")
	}
	*f = strings.Split(string(state), ",")
	if len(state) == 0 {
		*f = nil
	}
	return nil
}

func (f *fold) apply(step []byte) error {
	if string(step) == "bad" {
		return errors.New("bad step")
	}
	*f = append(*f, string(step))
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

// load opens a directory as a new process would, loads it, and lets it go.
func load(t testing.TB, dir string) (fold, Report, error) {
	t.Helper()
	s := open(t, dir)
	var f fold
	r, err := s.Load(f.restore, f.apply)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return f, r, err
}

// wantLoaded checks that loading a directory gives exactly the steps, with as
// many damages.
func wantLoaded(t testing.TB, dir, steps string, damages int) Report {
	t.Helper()
	f, r, err := load(t, dir)
	if err != nil || f.String() != steps || len(r.Damage) != damages {
		t.Errorf("loaded %q with damage %q, %v; want %q with %d damages", f.String(), r.Damage, err, steps, damages)
	}
	return r
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

func appendSteps(t testing.TB, s *Store, steps ...string) {
	t.Helper()
	for _, step := range steps {
		if err := s.Append([]byte(step)); err != nil {
			t.Fatal(err)
		}
	}
}

// A directory is the content of a state directory, by the names of its files.
type directory map[string]string

func read(t testing.TB, dir string) directory {
	t.Helper()
	files := make(directory)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}

// write makes a new directory with that content.
func (d directory) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range d {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// with returns the directory with one file more, or another one.
func (d directory) with(name, content string) directory {
	other := maps.Clone(d)
	other[name] = content
	return other
}

// names lists the files that say something, in order.
func (d directory) names() string {
	names := slices.Sorted(maps.Keys(d))
	return strings.Join(slices.DeleteFunc(names, func(n string) bool { return n == lockName || n == pidName }), " ")
}

// sample is a directory with a snapshot and two journals after it:
// a b | c d | e.
func sample(t testing.TB) directory {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "a,b")
	appendSteps(t, s, "c", "ddd")
	rotate(t, s)
	appendSteps(t, s, "e")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return read(t, dir)
}

// flipped returns s with one bit changed.
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

func at(name string, i int) string { return fmt.Sprintf("%s at %d", name, i) }

// begin returns how long the beginning of a journal is, without any step.
func begin(journal string) int {
	h, _, err := parseHeader([]byte(journal), journalMagic)
	if err != nil {
		panic(err)
	}
	return h.size
}

// journalHead is the beginning of a journal.
func journalHead(generation, follows uint64, length int) string {
	h := header{version: Version, oldest: oldestReplayer, generation: generation, follows: follows, length: int64(length)}
	return string(h.bytes(journalMagic))
}

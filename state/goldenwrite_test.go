package state_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
)

const fixtures = "../testdata/fixtures"

// writeGolden writes a golden state of this version, unless it exists, and the number
// of its rows. Other lines of the text stay.
func writeGolden(t *testing.T, name string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(goldenStates, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".tar.gz"); err != nil {
		writeFile(t, path+".tar.gz", pack(t, writeState(t)))
	}
	t.Chdir(unpacked(t, path))
	lines := rowLines(load(t, make(map[uint32]bool)).rows(t))
	before, _ := os.ReadFile(path + ".txt")
	for line := range strings.Lines(string(before)) {
		if !strings.HasPrefix(line, "rows ") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	writeFile(t, path+".txt", []byte(strings.Join(lines, "\n")+"\n"))
}

// writeState returns a directory with a state of the fixtures and their transcripts:
// one half is in the snapshot, the other half in the journal.
func writeState(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	copyFixtures(t, filepath.Join(dir, sources))
	t.Chdir(dir)
	store, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWorld(func(*state.State) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	w.Start()
	files := w.Changed(t.Context(), w.transcripts(t)) // in the order of a catch-up
	half := len(files) / 2
	w.read(t, files[:half])
	generation, snapshot, err := w.Encode(store.Rotate)
	if err = errors.Join(err, store.Commit(generation, snapshot)); err != nil {
		t.Fatal(err)
	}
	w.Saved()
	w.SetJournal(store)
	w.read(t, files[half:])
	w.Release(w.Pending())
	if err := errors.Join(w.PausedBy(), store.Close(), os.Remove(filepath.Join(dir, "lock")), os.Remove(filepath.Join(dir, "pid"))); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, shown), []byte(strings.Join(w.counters(), "\n")+"\n"))
	return dir
}

// leftOut are large fixtures whose rows are in no other table than those of the rest.
var leftOut = regexp.MustCompile(`^(12|14|15|16|17|19)-|\.tsv$`)

// copyFixtures copies the transcripts of most fixtures: an archive takes less than
// 30 kB.
func copyFixtures(t *testing.T, to string) {
	t.Helper()
	from := os.DirFS(fixtures)
	err := fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || leftOut.MatchString(path) {
			return err
		}
		b, err := fs.ReadFile(from, path)
		writeFile(t, filepath.Join(to, filepath.FromSlash(path)), b)
		return err //nolint:wrapcheck // only for the test
	})
	if err != nil {
		t.Fatal(err)
	}
}

// writeFile writes a file that was modified before the present time.
func writeFile(t *testing.T, path string, b []byte) {
	t.Helper()
	modified := present.AddDate(0, -1, 0)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, b, 0o600), os.Chtimes(path, modified, modified))
	if err != nil {
		t.Fatal(err)
	}
}

// pack returns an archive of a directory.
func pack(t *testing.T, dir string) []byte {
	t.Helper()
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	if err := errors.Join(w.AddFS(os.DirFS(dir)), w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// unpacked returns a directory with the files of a golden state.
func unpacked(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path + ".tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		} else if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			writeFile(t, filepath.Join(dir, filepath.FromSlash(h.Name)), content)
		}
	}
}

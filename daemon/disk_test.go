package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// path is the path of a file of the tree.
func (w *world) path(rel string) string { return filepath.Join(w.dir, filepath.FromSlash(rel)) }

// key is what the state knows a file of the tree by.
func (w *world) key(rel string) transcript.Key { return transcript.KeyOf("path", w.path(rel)) }

// write gives a file of the tree some content, whatever it had, in place.
func (w *world) write(rel, content string) {
	w.Helper()
	w.put(rel, content, os.O_TRUNC)
}

// add appends to a file of the tree.
func (w *world) add(rel, content string) {
	w.Helper()
	w.put(rel, content, os.O_APPEND)
}

func (w *world) put(rel, content string, flag int) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(rel)), 0o700); err != nil {
		w.Fatal(err)
	}
	f, err := os.OpenFile(w.path(rel), os.O_CREATE|os.O_WRONLY|flag, 0o600)
	if err != nil {
		w.Fatal(err)
	}
	_, err = f.WriteString(content)
	if err := errors.Join(err, f.Close()); err != nil {
		w.Fatal(err)
	}
}

func (w *world) size(rel string) int64 {
	w.Helper()
	info, err := os.Stat(w.path(rel))
	if err != nil {
		w.Fatal(err)
	}
	return info.Size()
}

// touch sets the time of modification.
func (w *world) touch(rel string, to time.Time) {
	w.Helper()
	if err := os.Chtimes(w.path(rel), to, to); err != nil {
		w.Fatal(err)
	}
}

// rename moves a file of the tree.
func (w *world) rename(from, to string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(to)), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.Rename(w.path(from), w.path(to)); err != nil {
		w.Fatal(err)
	}
}

// remove deletes a file or a directory of the tree.
func (w *world) remove(rel string) {
	w.Helper()
	if err := os.RemoveAll(w.path(rel)); err != nil {
		w.Fatal(err)
	}
}

// copyDir copies a directory with all that is in it, as far as it stays there.
func copyDir(t testing.TB, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(from, p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		b, err := os.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.Join(err, os.WriteFile(filepath.Join(to, rel), b, 0o600))
	})
	if err != nil {
		t.Fatal(err)
	}
}

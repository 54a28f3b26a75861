package follow

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// Files of a directory are opened in their current state, also after another directory
// replaced it, and no file is opened outside of its root.
func TestOpenFile(t *testing.T) {
	d := transcripttest.Dir{TB: t, Root: t.TempDir()}
	root, err := os.OpenRoot(d.Root)
	if err != nil {
		t.Fatal(err)
	}
	all := roots{{path: d.Root, Root: root}}
	defer all.close()
	read := func(rel, want string) {
		t.Helper()
		file, err := all.openFile(watcher.File{Rel: filepath.FromSlash(rel)})
		if err != nil {
			if want != "" || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", rel, err)
			}
			return
		}
		defer file.Close() //nolint:errcheck // only read
		if got, err := io.ReadAll(file); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", rel, got, err, want)
		}
	}
	d.Write("top.jsonl", "top")
	d.Write("p/s/a.jsonl", "a")
	d.Write("p/s/b.jsonl", "b")
	d.Write("q/c.jsonl", "c")
	read("top.jsonl", "top")
	read("p/s/a.jsonl", "a")
	read("p/s/b.jsonl", "b")
	read("p/s/new.jsonl", "")
	d.Write("p/s/new.jsonl", "new")
	read("p/s/new.jsonl", "new")
	if err := os.Rename(d.Path("p/s"), d.Path("moved")); err != nil {
		t.Fatal(err)
	}
	d.Write("p/s/other.jsonl", "other")
	read("p/s/other.jsonl", "other")
	read("p/s/a.jsonl", "")
	read("q/c.jsonl", "c")
	read("moved/a.jsonl", "a")
	if _, err := all.openFile(watcher.File{Rel: filepath.Join("..", "x.jsonl")}); err == nil {
		t.Error("opened a file outside of the root")
	}
}

// The file at the path is read, not a file in a directory that was there before.
func TestFileInReplacedDirectory(t *testing.T) {
	t.Parallel()
	d := transcripttest.NewDir(t)
	d.Write("p/s/a.jsonl", said("a", 1))
	f := New(optionsOf(time.Now), configOf(d.Root, 0))
	update := func() {
		f.Update(t.Context(), watcher.Update{Dirty: []watcher.File{{Rel: filepath.FromSlash("p/s/a.jsonl")}}})
	}
	update()
	d.Rename("p", "old")
	d.Write("p/s/a.jsonl", said("b", 2))
	d.Append("old/s/a.jsonl", said("c", 4))
	update()
	f.FinalizeAll()
	if got := sums(f.state)["claude_requests_total"]; got != 3 {
		t.Errorf("got %d requests, want 3: %v", got, sums(f.state))
	}
}

package follow

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A keptCheck follows one file with a live follower, which keeps it open.
type keptCheck struct {
	dir
	outside dir
	f       *Follower
}

var keptFile = watcher.File{Rel: "p/s/a.jsonl"}

// newKeptCheck returns a check whose file has one request and is kept open.
func newKeptCheck(t *testing.T) *keptCheck {
	c := &keptCheck{dir: transcripttest.NewDir(t), outside: transcripttest.NewDir(t)}
	c.f = New(optionsOf(time.Now), configOf(c.Root, 0))
	c.f.GoLive()
	t.Cleanup(c.f.CloseFiles)
	c.Write(keptFile.Rel, said("a", 1))
	c.update(keptFile)
	if c.f.kept[keptFile] == nil {
		t.Skip("no file is kept open on this system")
	}
	return c
}

func (c *keptCheck) update(names ...watcher.File) {
	c.f.Update(c.Context(), watcher.Update{Dirty: names})
}

// A file that is kept open is read exactly as if it were opened for each read: through
// its descriptor only while its name leads to it.
func TestKeptFile(t *testing.T) {
	for name, tt := range map[string]struct {
		change   func(c *keptCheck)
		same     bool // the descriptor is used again
		requests uint64
	}{
		"grown":              {func(c *keptCheck) { c.Append(keptFile.Rel, said("b", 2)) }, true, 3},
		"truncated":          {func(c *keptCheck) { c.Must(os.Truncate(c.Path(keptFile.Rel), 0)) }, true, 1},
		"rewritten in place": {func(c *keptCheck) { c.Write(keptFile.Rel, said("b", 2)) }, true, 3},
		"replaced":           {func(c *keptCheck) { c.Replace(keptFile.Rel, said("b", 2)) }, false, 3},
		"removed":            {func(c *keptCheck) { c.Remove(keptFile.Rel) }, false, 1},
		"moved, then grown": {func(c *keptCheck) {
			c.Rename(keptFile.Rel, "p/s/b.jsonl")
			c.Append("p/s/b.jsonl", said("b", 2))
		}, false, 1},
		"directory replaced, old file grown": {func(c *keptCheck) {
			c.Rename("p", "q")
			c.Append("q/s/a.jsonl", said("b", 2))
			c.Write(keptFile.Rel, said("c", 4))
		}, false, 5},
		"directory replaced by a link to the outside": {func(c *keptCheck) {
			c.Rename("p/s", "q")
			c.outside.Write("a.jsonl", said("b", 2))
			c.Must(os.Symlink(c.outside.Root, c.Path("p/s")))
		}, false, 1},
		"replaced by a link to itself": {func(c *keptCheck) {
			c.Rename(keptFile.Rel, "q.jsonl")
			c.Append("q.jsonl", said("b", 2))
			c.Must(os.Symlink(c.Path("q.jsonl"), c.Path(keptFile.Rel)))
		}, false, 1},
		"permissions changed, then grown": {func(c *keptCheck) {
			c.Must(os.Chmod(c.Path(keptFile.Rel), 0o400))
			c.Must(os.Chmod(c.Path(keptFile.Rel), 0o640))
			c.Append(keptFile.Rel, said("b", 2))
		}, false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			c := newKeptCheck(t)
			before := c.f.kept[keptFile].File
			tt.change(c)
			c.update(keptFile)
			if after := c.f.kept[keptFile]; (after != nil && after.File == before) != tt.same {
				t.Errorf("the same descriptor was used: %t, want %t", !tt.same, tt.same)
			}
			c.f.FinalizeAll()
			if got := sums(c.f.state)["claude_requests_total"]; got != tt.requests {
				t.Errorf("got %d requests, want %d", got, tt.requests)
			}
		})
	}
}

// The number of files that are kept open is limited, and they are closed.
func TestKeptFilesAreLimited(t *testing.T) {
	c := newKeptCheck(t)
	var names []watcher.File
	for i := range 2 * maxKept {
		names = append(names, watcher.File{Rel: fmt.Sprintf("p/%d.jsonl", i)})
		c.Write(names[i].Rel, said(fmt.Sprint(i), 1))
	}
	c.update(names...)
	if n := len(c.f.kept); n != maxKept {
		t.Errorf("%d files are kept open, want %d", n, maxKept)
	}
	file := c.f.kept[keptFile]
	c.f.Configure(configOf(c.Root, 0))
	if _, err := file.Stat(); err == nil || len(c.f.kept) != 0 {
		t.Errorf("%d files are kept open with another configuration, want 0", len(c.f.kept))
	}
}

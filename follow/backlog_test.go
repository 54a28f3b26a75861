package follow

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A backlogCheck checks at every call of Alive that the backlog of a follower is the
// number of unread bytes on disk, in the current and all later files.
type backlogCheck struct {
	dir
	f       *Follower
	backlog int64
	onDisk  int64
	calls   int
}

func newBacklogCheck(t testing.TB) *backlogCheck {
	c := &backlogCheck{dir: transcripttest.NewDir(t)}
	o := optionsOf(time.Now)
	o.OnBacklog = func(bytes int64) { c.backlog = bytes }
	c.f = New(o, configOf(c.Root, 0))
	return c
}

func (c *backlogCheck) alive() {
	c.calls++
	read := int64(0)
	for i := range 3 {
		file, _ := c.f.files.presentAt(c.f.digest(watcher.File{Rel: fmt.Sprintf("p/%d.jsonl", i)}))
		if !c.f.isReadAgain(file.id) {
			read += file.fingerprint.Offset
		}
	}
	if c.backlog != c.onDisk-read {
		c.Errorf("call %d: backlog is %d bytes, want %d", c.calls, c.backlog, c.onDisk-read)
	}
}

// during checks the backlog during a call of read, and that it is 0 afterwards.
func (c *backlogCheck) during(what string, read func()) {
	c.Helper()
	c.calls, c.onDisk = 0, 0
	for _, found := range walk(c, c.f) {
		c.onDisk += found.Info.Size()
	}
	read()
	if c.calls < 5 {
		c.Errorf("%s: only %d calls of Alive", what, c.calls)
	}
	if c.backlog != 0 || c.f.backlog != 0 || c.f.expected != 0 {
		c.Errorf("%s: backlog is %d bytes afterwards, want 0", what, c.backlog)
	}
}

// While an update is processed, the backlog includes the files not reached yet, so a
// hanging read does not look like an empty backlog.
func TestBacklogDuringAnUpdate(t *testing.T) {
	for name, first := range map[string]func(f *Follower, tree []watcher.FoundFile){
		"catching up": func(f *Follower, tree []watcher.FoundFile) {
			f.CatchUp(context.Background(), f.Changed(t.Context(), tree), time.Hour, func(watcher.FoundFile) {})
			f.Update(context.Background(), watcher.Update{Tree: tree})
		},
		"a walk": func(f *Follower, tree []watcher.FoundFile) {
			f.Update(context.Background(), watcher.Update{Tree: tree})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newBacklogCheck(t)
			c.f.alive = c.alive
			var names []watcher.File
			for i := range 3 {
				file := fmt.Sprintf("p/%d.jsonl", i)
				c.Write(file, said(fmt.Sprint("a", i), 2*batchLines))
				names = append(names, watcher.File{Rel: file})
			}
			c.during("all", func() { first(c.f, walk(t, c.f)) })
			grow := func(how string) {
				for i := range 3 {
					c.Append(fmt.Sprintf("p/%d.jsonl", i), said(fmt.Sprint(how, i), batchLines))
				}
			}
			grow("b")
			c.during("names", func() { c.f.Update(t.Context(), watcher.Update{Dirty: names}) })
			grow("c")
			c.during("another walk", func() { c.f.Update(t.Context(), watcher.Update{Tree: walk(t, c.f)}) })

			c.f.Configure(configOf(c.Root, 0))
			c.f.ReadAgain(walk(t, c.f))
			c.during("reading again", func() { first(c.f, walk(t, c.f)) })

			// Wrong estimates are corrected.
			c.Write("p/0.jsonl", said("d", 1))
			outdated := walk(t, c.f)
			c.Remove("p/1.jsonl")
			c.Append("p/2.jsonl", said("e", 1))
			c.f.alive = func() {}
			c.f.Update(t.Context(), watcher.Update{Tree: outdated})
			c.f.Update(t.Context(), watcher.Update{Dirty: append(names, watcher.File{Rel: "p/none.jsonl"})})
			if c.backlog != 0 {
				t.Errorf("backlog is %d bytes after files changed, want 0", c.backlog)
			}
		})
	}
}

// An unfinished line leaves the backlog once its file is quiet, and returns when the
// file grows. A file without lines is such a line.
func TestBacklogOfUnfinishedLine(t *testing.T) {
	c := newBacklogCheck(t)
	now := time.Now()
	c.f.now = func() time.Time { return now }
	c.f.GoLive()
	check := func(when string, want int64) {
		t.Helper()
		if c.backlog != want || c.f.backlog != want {
			t.Errorf("%s: backlog is %d bytes, want %d", when, c.backlog, want)
		}
	}
	c.Write("p/0.jsonl", said("a", 1)+`{"torn`)
	c.Write("p/1.jsonl", strings.Repeat("\x00\x05\x16\x07", 1<<10))
	update := func() { c.f.Update(t.Context(), watcher.Update{Tree: walk(t, c.f)}) }
	update()
	check("while the line may be being written", 6+4<<10)
	quiet := func() {
		now = now.Add(time.Hour)
		for range 3 { // a walk may find a moved file
			update()
		}
		c.f.FinalizeQuiet(t.Context(), time.Minute)
	}
	quiet()
	check("after an hour", 0)
	c.Append("p/0.jsonl", `more`)
	update()
	check("more of the line", 10)
	quiet()
	check("an hour later", 0)
	c.Append("p/0.jsonl", "\n"+said("b", 1))
	update()
	check("the end of the line", 0)
	c.Append("p/0.jsonl", "{")
	update()
	quiet()
	c.Remove("p/0.jsonl")
	update()
	check("without the file", 0)
	c.f.FinalizeAll()
	if n := sums(c.f.state)["ccwatchd_line_errors_total"]; n != 1 {
		t.Errorf("got %d broken lines, want the finished one", n)
	}
}

// A file that cannot be opened leaves the backlog.
func TestBacklogOfUnreadableFile(t *testing.T) {
	c := newBacklogCheck(t)
	c.Write("p/0.jsonl", said("a", 1))
	c.Write("p/1.jsonl", said("b", 1))
	found := walk(t, c.f)
	c.Remove("p/0.jsonl")
	if err := os.Mkdir(c.Path("p/0.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.f.Update(t.Context(), watcher.Update{Tree: found})
	c.f.Update(t.Context(), watcher.Update{Dirty: []watcher.File{found[0].File, found[1].File}})
	if c.backlog != 0 {
		t.Errorf("backlog is %d bytes, want 0", c.backlog)
	}
}

package daemon

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/ccwatchd/ccwatchd/watcher"
)

// backlogCheck sees at every sign of life of an engine that its backlog is what is on
// disk and not read, be it of the file that is read or of one whose turn comes later.
type backlogCheck struct {
	*world
	e      *engine
	onDisk int64
	signs  int
}

func (c *backlogCheck) alive() {
	c.signs++
	read := int64(0)
	for i := range c.e.shared.state.files.all {
		read += c.e.shared.state.files.all[i].mark.Offset
	}
	if got := int64(c.metric("ccwatchd_backlog_bytes")); got != c.onDisk-read {
		c.Errorf("sign of life %d: the backlog is %d bytes, want %d", c.signs, got, c.onDisk-read)
	}
}

// during checks the backlog during a call that reads much, and that none is left.
func (c *backlogCheck) during(what string, read func()) {
	c.Helper()
	c.signs, c.onDisk = 0, 0
	for _, found := range c.tree() {
		c.onDisk += found.Info.Size()
	}
	read()
	if c.signs < 5 {
		c.Errorf("%s: only %d signs of life", what, c.signs)
	}
	if got := c.metric("ccwatchd_backlog_bytes"); got != 0 || c.e.behind.Load() != 0 || c.e.expected != 0 {
		c.Errorf("%s: %v bytes are left of the backlog", what, got)
	}
}

func (c *backlogCheck) tree() []watcher.Found {
	c.Helper()
	found, errs := watcher.Walk(c.Context(), c.e.watching())
	if errs != nil {
		c.Fatal(errs)
	}
	return found
}

// While an update is processed, the backlog holds the files that were not reached too:
// where reading hangs, it does not look as if there were nothing to read.
func TestBacklogDuringAnUpdate(t *testing.T) {
	for name, first := range map[string]func(e *engine, tree []watcher.Found){
		"catching up": func(e *engine, tree []watcher.Found) { e.readAll(context.Background(), watcher.Update{Tree: tree}) },
		"a walk":      func(e *engine, tree []watcher.Found) { e.update(context.Background(), watcher.Update{Tree: tree}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			d := w.opened()
			defer d.Close() //nolint:errcheck // it has nothing to sync
			e := newEngine(d)
			defer e.stop()
			c := &backlogCheck{world: w, e: e}
			e.follower.alive = c.alive
			var names []watcher.File
			for i := range 3 {
				file := fmt.Sprintf("p/%d.jsonl", i)
				w.write(file, said(fmt.Sprint("a", i), 2*pageLines))
				names = append(names, watcher.File{Rel: file})
			}
			c.during("all", func() { first(e, c.tree()) })
			grow := func(how string) {
				for i := range 3 {
					w.add(fmt.Sprintf("p/%d.jsonl", i), said(fmt.Sprint(how, i), pageLines))
				}
			}
			grow("b")
			c.during("names", func() { e.update(t.Context(), watcher.Update{Dirty: names}) })
			grow("c")
			c.during("another walk", func() { e.update(t.Context(), watcher.Update{Tree: c.tree()}) })

			// What does not come as it was expected corrects it.
			w.write("p/0.jsonl", said("d", 1))
			gone := c.tree()
			w.remove("p/1.jsonl")
			w.add("p/2.jsonl", said("e", 1))
			e.follower.alive = func() {}
			e.update(t.Context(), watcher.Update{Tree: gone})
			e.update(t.Context(), watcher.Update{Dirty: append(names, watcher.File{Rel: "p/none.jsonl"})})
			if got := w.metric("ccwatchd_backlog_bytes"); got != 0 {
				t.Errorf("%v bytes are left of the backlog after files have changed", got)
			}
		})
	}
}

// A file that cannot be opened is not in the backlog once its turn has come.
func TestBacklogOfWhatIsNoFile(t *testing.T) {
	w := newWorld(t)
	d := w.opened()
	defer d.Close() //nolint:errcheck // it has nothing to sync
	e := newEngine(d)
	defer e.stop()
	w.write("p/0.jsonl", said("a", 1))
	w.write("p/1.jsonl", said("b", 1))
	found, _ := watcher.Walk(t.Context(), e.watching())
	w.remove("p/0.jsonl")
	if err := os.Mkdir(w.path("p/0.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	e.update(t.Context(), watcher.Update{Tree: found})
	e.update(t.Context(), watcher.Update{Dirty: []watcher.File{found[0].File, found[1].File}})
	if got := w.metric("ccwatchd_backlog_bytes"); got != 0 {
		t.Errorf("%v bytes are left of the backlog", got)
	}
}

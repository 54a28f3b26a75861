package daemon

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A file that cannot be read to its end is counted as far as it could be, is told,
// and is read on later. What was read before is not read again.
func TestReadErrorAmidstAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var once sync.Once
	w.settings.Labeller = rewriter{once: func(cwd string) {
		if filepath.Base(cwd) == "b" {
			once.Do(func() { w.breakOpen("p/b.jsonl") })
		}
	}}
	w.settings.Scan = time.Hour
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.shows(counted(1, 1))
	const many = 3000 // enough for several pages
	w.write("p/new", said("b", many))
	w.rename("p/new", "p/b.jsonl")
	w.eventually("a failure", func() bool { return w.metric(unreadableFiles) == 1 })
	if got := w.totals(aside...)[requests]; got < 2 || got >= 1+many {
		t.Errorf("%d requests of the file are counted, want some", got)
	}
	w.add("p/b.jsonl", said("c", 1))
	w.shows(counted(2+many, 3).with(truncated, 0).with(replaced, 0).with(`ccwatchd_duplicates_total{kind="message"}`, 0))
	w.eventually("the end of the failure", func() bool { return w.metric(unreadableFiles) == 0 })
	w.restart()
	w.shows(counted(2+many, 3))
}

// breakOpen makes all further reading of a file fail for those who have it open.
func (w *world) breakOpen(rel string) {
	bad, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		w.Error(err)
		return
	}
	defer bad.Close() //nolint:errcheck // nothing is written
	links, _ := filepath.Glob("/proc/self/fd/*")
	broken := 0
	for _, link := range links {
		if to, err := os.Readlink(link); err != nil || to != w.path(rel) {
			continue
		}
		var fd int
		for _, digit := range filepath.Base(link) {
			fd = 10*fd + int(digit-'0')
		}
		if err := unix.Dup3(int(bad.Fd()), fd, unix.O_CLOEXEC); err != nil {
			w.Error(err)
		}
		broken++
	}
	if broken != 1 {
		w.Errorf("%s is open %d times, want once", rel, broken)
	}
}

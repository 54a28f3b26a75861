package watcher

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time of this thread, which other processes do not extend.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var used unix.Timespec
	noError(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used))
	return time.Duration(used.Nano())
}

// checkLinear checks that the CPU time of what prepare returns is in proportion to the
// size: four times the size takes four times as long, and 16 times if every step loops
// over everything. It measures again if a busy machine has disturbed it.
func checkLinear(t *testing.T, size int, prepare func(t *testing.T, n int) func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	shortest := func(n int) time.Duration {
		least := time.Hour
		for range 5 {
			do := prepare(t, n)
			runtime.GC()
			start := threadTime(t)
			do()
			least = min(least, threadTime(t)-start)
		}
		return least
	}
	var small, large time.Duration
	for range 10 {
		small, large = shortest(size), shortest(4*size)
		if large <= 9*small {
			return
		}
	}
	t.Errorf("%d take %v, but %d %v", size, small, 4*size, large)
}

func TestOneMoreDirectoryIsLinear(t *testing.T) {
	trees := make(map[int]*polled)
	checkLinear(t, 1500, func(t *testing.T, n int) func() {
		p := trees[n]
		if p == nil {
			dir := t.TempDir()
			for i := range n {
				mkdir(t, dir, "p", fmt.Sprintf("%06d", i))
			}
			p = newPolled(t, dir, 0)
			trees[n] = p
		}
		name := fmt.Sprintf("p/%d.new/a.log", p.now.UnixNano())
		write(t, p.dir, name)
		return func() { p.finds("0:" + name) }
	})
}

// Directories that have appeared since the walk are all checked, so each of them is
// found missing.
func TestDroppedDirectoriesAreLinear(t *testing.T) {
	checkLinear(t, 2500, func(t *testing.T, n int) func() {
		p := newPoller(Options{}, newAccumulator())
		p.beginWalk(newRoots([]root{{path: "/r", real: "/r"}}))
		dir := func(i int) string { return fmt.Sprintf("/r/p/%06d", i) }
		for i := range n {
			p.dirs.put(dir(i), polledDir{})
			p.add(dir(i), 0)
			p.dirs.get(dir(i)).names["a.log"] = struct{}{}
		}
		return func() {
			for i := range n {
				p.drop(dir(i))
			}
			if len(p.updates.dirty) != n || p.dirs.size != 0 {
				t.Errorf("got %d files and %d directories", len(p.updates.dirty), p.dirs.size)
			}
		}
	})
}

func TestForgottenWatchesAreLinear(t *testing.T) {
	checkLinear(t, 2500, func(t *testing.T, n int) func() {
		w := &notifier{watched: newDirTree[bool]()}
		path := func(i int) string { return filepath.Join("/r/p", fmt.Sprintf("%06d", i)) }
		for i := range n {
			w.watched.put(path(i), true)
		}
		return func() {
			for i := range n {
				if file := filepath.Join("/r", fmt.Sprint(i)); w.forget(file) {
					t.Errorf("%s was watched", file)
				}
				if !w.forget(path(i)) {
					t.Errorf("%s was not watched", path(i))
				}
			}
		}
	})
}

func TestLinksAreLinear(t *testing.T) {
	checkLinear(t, 2500, func(t *testing.T, n int) func() {
		all := []root{{path: "/r", real: "/r"}}
		target := func(i int) string { return fmt.Sprintf("/target/%06d", i) }
		for i := range n {
			all = append(all, root{link: fmt.Sprint(i), real: target(i)})
		}
		return func() {
			rs := newRoots(all)
			for i := range n {
				link, file := fmt.Sprintf("/r/%d", i), filepath.Join(target(i), "d/a.log")
				name, ok := rs.locate(file)
				if !rs.has(target(i)) || !rs.isLinkAt(link) || !ok || rs.path(name) != file {
					t.Errorf("got %v, %v for %s", name, ok, file)
				}
			}
		}
	})
}

func TestRemovedIsLinear(t *testing.T) {
	checkLinear(t, 5000, func(t *testing.T, n int) func() {
		u := Update{Tree: []FoundFile{}}
		for i := range n {
			u.Dirty = append(u.Dirty, File{0, fmt.Sprintf("dirty/%06d", i)})
			u.Unreadable = append(u.Unreadable, File{0, fmt.Sprintf("unreadable/%06d", i)})
		}
		return func() {
			for i := range n {
				if u.Removed(u.Dirty[i]) || u.Removed(File{0, u.Unreadable[i].Rel + "/a"}) || !u.Removed(File{0, fmt.Sprint(i)}) {
					t.Errorf("wrong for file %d", i)
				}
			}
		}
	})
}

package watcher

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The check of a slow source is followed by a pause in which other sources are checked.
func TestPauseOfEachSource(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "slow/a.log")
	write(t, dir, "fast/a.log")
	p := newPolled(t, filepath.Join(dir, "slow"), 0, filepath.Join(dir, "fast"))
	p.p.o.Match = func(base string) bool { // a listed file takes a minute
		p.now = p.now.Add(time.Minute)
		return isLog(base)
	}
	check := func(want ...string) {
		t.Helper()
		write(t, dir, fmt.Sprintf("slow/%d.log", p.now.Unix()))
		write(t, dir, "fast/a.log")
		for _, each := range p.w.pollers {
			each.checkIfDue(t.Context())
		}
		if found := p.takeDirty(); !slices.Equal(found, want) {
			t.Errorf("got %v, want %v", found, want)
		}
	}
	first := fmt.Sprintf("0:%d.log", p.now.Unix())
	check(first, "1:a.log")
	for range 3 {
		p.now = p.now.Add(p.p.o.PollInterval)
		check("1:a.log")
	}
	if rest := p.p.due.Sub(p.now); rest < 10*time.Minute {
		t.Errorf("the slow source is checked after %v, want a pause of ten times its check", rest)
	}
}

const manyDirs = 20_000

// polledDirs is a polled tree with many directories, and a file in some of them.
func polledDirs(t testing.TB, o Options) *Watcher {
	t.Helper()
	top := mkdir(t, o.Roots[0], "p")
	for i := range manyDirs {
		dir := filepath.Join(top, fmt.Sprintf("%06d", i))
		noError(t, os.Mkdir(dir, 0o700))
		if i%100 == 0 {
			write(t, dir, "a.log")
		}
	}
	w := New(o)
	w.scan(t.Context())
	w.Take()
	return w
}

// One more directory beside many costs one look at each of their names: none of them is
// read.
func TestOneMoreDirectoryReadsNoOther(t *testing.T) {
	dir := t.TempDir()
	dirs, files := 0, 0
	o := pollOptions(dir)
	o.Match = func(string) bool { files++; return true }
	o.SkipDir = func(string) bool { dirs++; return false }
	w := polledDirs(t, o)
	for i := range 3 {
		write(t, dir, fmt.Sprintf("p/new%d", i), "a.log")
		dirs, files = 0, 0
		w.pollers[0].check(t.Context())
		if u := w.Take(); len(u.Dirty) != 1 || files != 1 || dirs > manyDirs+10 {
			t.Errorf("got %v, and looked at the names of %d directories and %d files", u.Dirty, dirs, files)
		}
		if n := len(w.pollers[0].checked); n > maxRecent+10 {
			t.Errorf("%d directories are checked", n)
		}
	}
}

// BenchmarkOneMoreDirectory measures a check that finds a new directory beside 20,000.
func BenchmarkOneMoreDirectory(b *testing.B) {
	o := pollOptions(b.TempDir())
	w := polledDirs(b, o)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		write(b, o.Roots[0], fmt.Sprintf("p/new%d", i), "a.log")
		b.StartTimer()
		w.pollers[0].check(b.Context())
		if u := w.Take(); len(u.Dirty) != 1 {
			b.Fatalf("got %v, want one file", u.Dirty)
		}
	}
}

// A removed directory leaves nothing behind in the tree, neither of itself nor of the
// directories above it that were needed only for it.
func TestDirTreeRemove(t *testing.T) {
	tree := newDirTree[int]()
	tree.put("/r", 1)
	tree.put("/r/a/b/c", 2)
	tree.put("/r/a/b/d/e", 3)
	for _, tt := range []struct {
		remove      string
		gone, nodes int
	}{
		{"/r/other", 0, 7}, {"/r/a/b/d", 1, 5}, {"/r/a/b/c", 1, 2}, {"/r", 1, 0},
	} {
		if gone := tree.remove(tt.remove); len(gone) != tt.gone || len(tree.nodes) != tt.nodes {
			t.Errorf("%s: removed %v, left %v", tt.remove, gone, tree.nodes)
		}
	}
	if tree.size != 0 {
		t.Errorf("got size %d", tree.size)
	}
}

package watcher

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// All directories that are due are checked, also if some belong to hot files and are
// directly below a root.
func TestAllDueDirectories(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		write(t, dir, fmt.Sprint(i), "a.log")
	}
	write(t, dir, "0/x/y/a.log")
	p := newPolled(t, dir, 0)
	p.finds(granularity + dirCheck) // new directories are read twice
	for range 5 {
		before := p.p.paces[Directories].items
		p.finds(dirCheck)
		if n := p.p.paces[Directories].items - before; n != 13 {
			t.Errorf("checked %d directories, want 13", n)
		}
	}
}

// The index of directories by the one above follows what appears and disappears.
func TestChildren(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"p/q/r/a.log", "p/q2/a.log", "p/s/a.log", "p2/a.log"} {
		write(t, dir, path)
	}
	p := newPolled(t, dir, 0)
	check := func() {
		t.Helper()
		want := make(map[string][]*polledDir)
		for _, d := range p.p.order {
			want[filepath.Dir(d.path)] = append(want[filepath.Dir(d.path)], d)
		}
		if !maps.EqualFunc(p.p.children, want, slices.Equal) {
			t.Errorf("got children %v, want %v", p.p.children, want)
		}
	}
	check()
	for _, d := range p.p.tree(filepath.Join(dir, "p", "q")) {
		if _, within := relBelow(filepath.Join(dir, "p"), d.path); !within || filepath.Base(d.path) == "q2" {
			t.Errorf("got %s below p/q", d.path)
		}
	}
	remove(t, dir, "p/q")
	p.finds(dirCheck, "0:p/q/r/a.log")
	check()
	write(t, dir, "p/t/u/a.log")
	p.finds(dirCheck, "0:p/t/u/a.log")
	check()
	remove(t, dir, "p")
	p.finds(dirCheck, "0:p/q2/a.log", "0:p/s/a.log", "0:p/t/u/a.log")
	check()
	if n := len(p.p.children); n != 2 {
		t.Errorf("got children of %d directories, want 2", n)
	}
}

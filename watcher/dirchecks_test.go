package watcher

import (
	"fmt"
	"testing"
)

// All directories that are due are checked, also if some belong to hot files and are
// directly below a root.
func TestAllDueDirectories(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		write(t, dir, fmt.Sprint(i), "a.log")
	}
	p := newPolled(t, dir, 0)
	p.finds(granularity + dirCheck) // new directories are read twice
	for range 5 {
		before := p.p.paces[Directories].items
		p.finds(dirCheck)
		if n := p.p.paces[Directories].items - before; n != 11 {
			t.Errorf("checked %d directories, want 11", n)
		}
	}
}

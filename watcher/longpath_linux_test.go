package watcher

import (
	"os"
	"strings"
	"testing"
)

// A directory whose path is too long for the system is unreadable, and does not end the
// events of all others.
func TestLongPath(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/a.log")
	makeDeep(t, dir)
	c := startWithEvents(t, dir)
	stats := c.w.Stats()
	if stats.Polling || stats.Unreadable != 1 {
		t.Fatalf("got %+v, want events and one unreadable directory", stats)
	}
	write(t, dir, "p/b.log")
	c.waitForDirty("0:p/b.log")
}

// makeDeep makes a directory whose path is longer than maxPath.
func makeDeep(t *testing.T, dir string) {
	t.Helper()
	name := strings.Repeat("x", 200)
	root, err := os.OpenRoot(dir)
	noError(t, err)
	defer func() { noError(t, root.Close()) }()
	for range maxPath/len(name) + 1 {
		noError(t, root.Mkdir(name, 0o700))
		below, err := root.OpenRoot(name)
		noError(t, err)
		noError(t, root.Close())
		root = below
	}
}

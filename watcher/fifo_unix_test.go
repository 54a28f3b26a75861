//go:build unix

package watcher

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// A FIFO, with somebody writing into it, is no file.
func TestFIFO(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/0.log")
	fifo := filepath.Join(dir, "p", "fifo.log")
	c := started(t, dir)
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.WriteString("line\n"); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "p/last.log")
	c.until("the last", func() bool { return c.dirty["0:p/last.log"] })
	if len(c.dirty) != 1 {
		t.Errorf("reported %v besides the last", c.dirty)
	}
	c.rescan()
	if want := []string{"0:p/0.log", "0:p/last.log"}; !slices.Equal(c.tree, want) {
		t.Errorf("tree: got %v\nwant %v", c.tree, want)
	}
}

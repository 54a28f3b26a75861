//go:build unix

package follow

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/ccwatchd/ccwatchd/watcher"
)

// A file that cannot be opened for want of descriptors gets the descriptors of the
// files that are kept open.
func TestNoDescriptorsBesideKeptFiles(t *testing.T) {
	c := newKeptCheck(t)
	var names []watcher.File
	for i := range maxKept {
		names = append(names, watcher.File{Rel: fmt.Sprintf("p/%d.jsonl", i)})
		c.Write(names[i].Rel, said(fmt.Sprint(i), 1))
	}
	c.update(names[1:]...)
	limit := c.useDescriptors()
	c.update(names[0])
	c.Must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	if c.f.Unreadable() != 0 || c.f.kept[names[0]] == nil {
		t.Errorf("%d files are unreadable, and %d kept open, want 0 and 1", c.f.Unreadable(), len(c.f.kept))
	}
}

// useDescriptors makes the next attempt to open a file fail until a file is closed. It
// returns the limit to restore.
func (c *keptCheck) useDescriptors() (limit syscall.Rlimit) {
	highest, last := uintptr(0), uintptr(0)
	for _, file := range c.f.kept {
		highest = max(highest, file.Fd())
	}
	for last < highest { // each has the lowest free number
		file, err := os.Open(os.DevNull)
		c.Must(err)
		c.Cleanup(func() { _ = file.Close() })
		last = file.Fd()
	}
	c.Must(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0 // replaced below: the type of the field depends on the system
	for range last + 1 {
		none.Cur++
	}
	c.Must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	if file, err := os.Open(os.DevNull); err == nil {
		_ = file.Close()
		c.Fatal("a file was opened beyond the limit")
	}
	return limit
}

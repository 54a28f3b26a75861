//go:build unix

package watcher

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFIFOIsIgnored(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/0.log")
	fifo := filepath.Join(dir, "p", "fifo.log")
	c := startWithEvents(t, dir)
	noError(t, syscall.Mkfifo(fifo, 0o600))
	f, err := os.OpenFile(fifo, os.O_RDWR, 0)
	noError(t, err)
	defer func() { _ = f.Close() }()
	_, err = f.WriteString("line\n")
	noError(t, err)
	c.checkAllIgnored(dir)
}

//go:build unix

package registry

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A FIFO is no file of a process, and does not block.
func TestFIFO(t *testing.T) {
	config := newRegistry(t, map[string]string{"1.json": `{"pid":1,"sessionId":"a"}`})
	if err := syscall.Mkfifo(filepath.Join(config, "sessions", "2.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := read("", config, host{exists: func(int) bool { return true }}); len(got) != 1 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

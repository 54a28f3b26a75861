//go:build linux || darwin || freebsd

package tailer

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// withTimeout fails the test if f blocks.
func withTimeout(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(timeout):
		t.Fatal("blocked")
	}
}

func makeFIFO(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no FIFOs on this system:", err)
	}
}

func checkNotRegular(t *testing.T, root *os.Root, rel string) {
	t.Helper()
	if _, _, err := Open(root, rel); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Open(%s): got error %v, want %v", rel, err, ErrNotRegular)
	}
}

func TestOpenFIFO(t *testing.T) {
	root := newTree(t)
	makeFIFO(t, filepath.Join(root.Name(), "fifo.jsonl"))
	withTimeout(t, func() { checkNotRegular(t, root, "fifo.jsonl") })
	seen, err := root.Lstat("a.jsonl")
	noError(t, err)
	// A FIFO that replaces the file between Lstat and OpenFile must not block either.
	withTimeout(t, func() {
		f, err := root.OpenFile("fifo.jsonl", os.O_RDONLY|openFlags, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = f.Close() }()
		if _, err := confirm(f, seen); !errors.Is(err, ErrReplaced) {
			t.Errorf("confirm: got error %v, want %v", err, ErrReplaced)
		}
	})
}

func TestOpenSocket(t *testing.T) {
	root := newTree(t)
	t.Chdir(root.Name()) // the path of a socket must be short
	l, err := net.Listen("unix", "s.jsonl")
	if err != nil {
		t.Skip("no sockets on this system:", err)
	}
	defer func() { _ = l.Close() }()
	checkNotRegular(t, root, "s.jsonl")
}

// Lines reads the open file, even if its name refers to another file or to none.
func TestLinesOfRemovedFile(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"removed": func(t *testing.T, path string) { noError(t, os.Remove(path)) },
		"renamed": func(t *testing.T, path string) { noError(t, os.Rename(path, path+".old")) },
		"replaced": func(t *testing.T, path string) {
			noError(t, os.Remove(path))
			noError(t, os.WriteFile(path, []byte("other\ncontent\n"), 0o600))
		},
		"replaced by a FIFO": func(t *testing.T, path string) {
			noError(t, os.Remove(path))
			makeFIFO(t, path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, "one\ntwo\n")
			f := openFile(t, path)
			change(t, path)
			var lines []string
			var to Cursor
			var err error
			withTimeout(t, func() { to, err = NewReader(0).Lines(f, 8, Cursor{}, collect(&lines)) })
			checkRead(t, lines, to, err, []string{"0-4 one", "4-8 two"}, Cursor{8, 8})
		})
	}
}

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

// returns fails the test if f never returns.
func returns(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("stuck")
	}
}

func TestOpenFIFO(t *testing.T) {
	root := tree(t)
	if err := syscall.Mkfifo(filepath.Join(root.Name(), "fifo.jsonl"), 0o600); err != nil {
		t.Skip("no FIFO here:", err)
	}
	returns(t, func() {
		if _, err := Open(root, "fifo.jsonl"); !errors.Is(err, ErrNotRegular) {
			t.Errorf("Open: error %v, want ErrNotRegular", err)
		}
	})
}

// A FIFO that takes the place of the file between looking and opening must not be waited for either.
func TestOpenFlagsDoNotWait(t *testing.T) {
	root := tree(t)
	if err := syscall.Mkfifo(filepath.Join(root.Name(), "fifo.jsonl"), 0o600); err != nil {
		t.Skip("no FIFO here:", err)
	}
	seen, err := root.Lstat("a.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	returns(t, func() {
		f, err := root.OpenFile("fifo.jsonl", os.O_RDONLY|openFlags, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = f.Close() }()
		if err := confirm(f, seen); !errors.Is(err, ErrReplaced) {
			t.Errorf("confirm: %v, want ErrExchanged", err)
		}
	})
}

func TestOpenSocket(t *testing.T) {
	root := tree(t)
	t.Chdir(root.Name()) // the path of a socket must be short
	l, err := net.Listen("unix", "s.jsonl")
	if err != nil {
		t.Skip("no sockets here:", err)
	}
	defer func() { _ = l.Close() }()
	if _, err := Open(root, "s.jsonl"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Open: error %v, want ErrNotRegular", err)
	}
}

// The file that is open is read, whatever has become of its name.
func TestLinesOfUnlinkedAndReplaced(t *testing.T) {
	for _, tt := range []struct {
		name string
		turn func(name string) error
	}{
		{"unlinked", os.Remove},
		{"renamed", func(name string) error { return os.Rename(name, name+".old") }},
		{"replaced", func(name string) error {
			if err := os.Remove(name); err != nil {
				return err
			}
			return os.WriteFile(name, []byte("other\ncontent\n"), 0o600)
		}},
		{"a FIFO now", func(name string) error {
			if err := os.Remove(name); err != nil {
				return err
			}
			return syscall.Mkfifo(name, 0o600)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := write(t, []byte("one\ntwo\n"))
			f := open(t, name)
			if err := tt.turn(name); err != nil {
				t.Fatal(err)
			}
			returns(t, func() {
				var lines []taken
				to, err := NewReader(0).Lines(f, 8, Cursor{}, into(&lines))
				if err != nil || to.Offset != 8 || len(lines) != 2 || lines[0].Text != "one" || lines[1].Text != "two" {
					t.Errorf("read %v up to %v, %v", lines, to, err)
				}
			})
		})
	}
}

//go:build unix

package checkpoint

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A FIFO with the name of a journal is quarantined. Opening it would block.
func TestFIFO(t *testing.T) {
	for _, name := range []string{"journal-2", "journal-3", "journal-007"} {
		t.Run(name, func(t *testing.T) {
			dir := sample(t).without(name).write(t)
			makeFIFO(t, dir, name)
			want := "a,b,c,ddd,e"
			if name == "journal-2" {
				want = "a,b,c,ddd"
			}
			r := wantLoaded(t, dir, want, 1)
			if to := name + " renamed to " + name + ".damaged-1"; !strings.HasSuffix(errorsText(r.Damage), to) {
				t.Errorf("damage %q, want %q", errorsText(r.Damage), to)
			}
			wantLoaded(t, dir, want, 0)
		})
	}
	t.Run("other files", func(t *testing.T) {
		dir := t.TempDir()
		makeFIFO(t, dir, snapshotName)
		makeFIFO(t, dir, string(Limits))
		s := open(t, dir)
		var f fold
		if _, err := s.Load(f.restore, f.apply); !errors.Is(err, errNotRegular) {
			t.Errorf("load a FIFO: %v", err)
		}
		if _, err := s.LoadRecord(Limits); !errors.Is(err, errNotRegular) {
			t.Errorf("load a record from a FIFO: %v", err)
		}
	})
}

func makeFIFO(t *testing.T, dir, name string) {
	t.Helper()
	if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
		t.Fatal(err)
	}
}

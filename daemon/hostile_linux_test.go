package daemon

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// devices makes devices that never end to be read and written, where that is
// allowed.
func (w *world) devices(zero, full string) {
	w.Helper()
	for name, minor := range map[string]int{zero: 5, full: 7} {
		switch err := syscall.Mknod(name, syscall.S_IFCHR|0o600, 1<<8|minor); {
		case errors.Is(err, syscall.EPERM):
			w.Logf("no devices: %v", err)
		case err != nil:
			w.Fatal(err)
		}
	}
}

// A tree that is mounted at two places, each a source of its own, counts once.
func TestTreeMountedTwice(t *testing.T) {
	w := newWorld(t)
	want := w.harmless()
	again := t.TempDir()
	if err := syscall.Mount(w.dir, again, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("nothing can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(again, 0); err != nil {
			t.Error(err)
		}
	})
	w.settings.Sources = sources(w.dir, again)
	w.start()
	w.exactly(want)
	for range 2 {
		w.rescanned(1)
		got := w.exactly(want)
		if read := uint64(len(said("harmless", 2))); got[readBytes] != read || w.files() != 1 || got[replaced] != 0 {
			t.Errorf("%d bytes of %d files are read, want %d of 1; %d are begun anew", got[readBytes], w.files(), read, got[replaced])
		}
		w.restart()
	}
	w.add("p/harmless.jsonl", said("more", 1))
	w.shows(counted(3, 2))
	w.halt()
	if _, err := os.Stat(again + "/p/harmless.jsonl"); err != nil {
		t.Errorf("it was not mounted: %v", err)
	}
}

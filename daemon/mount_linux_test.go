package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// makeDevices creates devices with endless data, where that is permitted.
func (h *harness) makeDevices(zero, full string) {
	h.Helper()
	for name, minor := range map[string]int{zero: 5, full: 7} {
		err := syscall.Mknod(name, syscall.S_IFCHR|0o600, 1<<8|minor)
		if errors.Is(err, syscall.EPERM) {
			h.Logf("no devices: %v", err)
			continue
		}
		h.Must(err)
	}
}

// A directory that is mounted at two places, each a source, counts once.
func TestDirectoryMountedTwice(t *testing.T) {
	h := newUntrustedHarness(t)
	want := h.writeKnownSession()
	again := t.TempDir()
	if err := syscall.Mount(h.Root, again, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("mounting is not permitted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(again, 0); err != nil {
			t.Error(err)
		}
	})
	h.settings.Sources = sources(h.Root, again)
	h.start()
	h.checkReadOnce(want)
	h.restart()
	h.checkReadOnce(want)
	h.Append(knownFile, replies("more", 1))
	h.waitFor(counts(3, 2))
	h.stop()
	if _, err := os.Stat(filepath.Join(again, knownFile)); err != nil {
		t.Errorf("the directory was not mounted: %v", err)
	}
}

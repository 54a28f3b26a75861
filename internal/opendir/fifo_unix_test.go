//go:build unix

package opendir

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// A FIFO without a writer does not block, neither as a link's target nor in the place
// of a directory.
func TestFIFO(t *testing.T) {
	top := newHomes(t)
	fifo := filepath.Join(top, "alice", "fifo")
	noError(t, syscall.Mkfifo(fifo, 0o600))
	symlink(t, "fifo", filepath.Join(top, "alice", "l"))
	for _, name := range []string{"fifo", "l"} {
		for _, c := range []check{{}, byName} {
			if _, err := c.open(top, filepath.Join(top, "alice", name)); !errors.Is(err, syscall.ENOTDIR) {
				t.Errorf("%s: got error %v, want %v", name, err, syscall.ENOTDIR)
			}
		}
	}
	base, err := openTrusted(filepath.Join(top, "alice"))
	noError(t, err)
	r := resolver{check: byName, dirs: []*Dir{base}}
	defer r.close()
	if err := r.enter("fifo", base.Info); err == nil {
		t.Error("entered a FIFO")
	}
}

// Root and processes with the capability to read all files check the owners of links.
func TestOwnerCheck(t *testing.T) {
	if got, want := ownerCheck().owner != nil, canReadFilesOfOthers(); got != want {
		t.Errorf("got a check: %v, want %v", got, want)
	}
	if syscall.Geteuid() == 0 && !canReadFilesOfOthers() {
		t.Skip("root without capabilities")
	}
}

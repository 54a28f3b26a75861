package checkpoint

import (
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// A snapshot takes the place of its predecessor and is not written over it: whoever
// has that open, as a process that loads it does, reads all of it to its end, and at
// no moment is there a part of either under the name.
func TestSnapshotIsReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open cannot be replaced")
	}
	s := open(t, t.TempDir())
	before := strings.Repeat("before,", 100)
	commit(t, s, rotate(t, s), before)
	f, err := os.Open(s.path(snapshotName))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	commit(t, s, rotate(t, s), "after")
	if b, err := io.ReadAll(f); err != nil || !strings.Contains(string(b), before) {
		t.Errorf("%d bytes of the snapshot before are left, %v: %.100q", len(b), err, b)
	}
}

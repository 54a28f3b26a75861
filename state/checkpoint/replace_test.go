package checkpoint

import (
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// A snapshot replaces its predecessor by renaming, so a process that has the
// predecessor open reads all of it, and the name never refers to a partial file.
func TestSnapshotIsReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be replaced")
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
		t.Errorf("%d bytes of the previous snapshot are readable, %v: %.100q", len(b), err, b)
	}
}

package watcher

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/mounttest"
)

// Two roots are the same directory if they are mounted so, or where the file system
// ignores case.
func TestMountedRoots(t *testing.T) {
	if !mounttest.InNamespaces(t) {
		return
	}
	dir := t.TempDir()
	first, second := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	if err := os.Mkdir(first, 0o700); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, filepath.Join(first, "a"), "")
	mounttest.Bind(t, first, second)
	found, errs := Walk(t.Context(), Options{Roots: []string{second, first}})
	if len(errs) > 0 || len(found) != 1 || found[0].Root != 0 {
		t.Errorf("got %v and errors %v, want one file below the first root", found, errs)
	}
}

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
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	if err := os.Mkdir(one, 0o700); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, filepath.Join(one, "a"), "")
	mounttest.Bind(t, one, two)
	found, errs := Walk(t.Context(), Options{Roots: []string{two, one}})
	if len(errs) > 0 || len(found) != 1 || found[0].Root != 0 {
		t.Errorf("got %v and errors %v, want one file below the first root", found, errs)
	}
}

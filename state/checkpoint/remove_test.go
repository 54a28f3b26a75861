package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

func TestRemove(t *testing.T) {
	fill := func(t *testing.T, names ...string) string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "state")
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			filetest.Write(t, filepath.Join(dir, name), "x")
		}
		closeStore(t, s)
		return dir
	}
	for _, test := range []struct {
		name        string
		files, left []string // nil if the directory is removed too
	}{
		{"new", nil, nil},
		{"used", []string{"state", "journal-1", "journal-12", "state-123", "probe-1", "state.damaged-1", "journal-3.damaged-2", "state.foreign-1", "endpoints.json", "limits.json", "address.json"}, nil},
		{"with unrelated files", []string{"state", "notes", "stateful", "state-backup", "journal"}, []string{"journal", "notes", "state-backup", "stateful"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := fill(t, test.files...)
			if err := Remove(dir); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir)
			var left []string
			for _, e := range entries {
				left = append(left, e.Name())
			}
			if !slices.Equal(left, test.left) || (err == nil) != (test.left != nil) {
				t.Errorf("files are %q, %v, want %q", left, err, test.left)
			}
		})
	}

	t.Run("no state", func(t *testing.T) {
		if err := Remove(filepath.Join(t.TempDir(), "state")); err != nil {
			t.Error(err)
		}
	})
	t.Run("no state directory", func(t *testing.T) {
		dir := t.TempDir()
		filetest.Write(t, filepath.Join(dir, "state"), "")
		if err := Remove(dir); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "state")); err != nil {
			t.Error("removed an unrelated file:", err)
		}
	})
	t.Run("in use", func(t *testing.T) {
		dir := fill(t, "state")
		open(t, dir)
		var locked *LockedError
		if err := Remove(dir); !errors.As(err, &locked) {
			t.Errorf("got %v, want a *LockedError", err)
		}
		if _, err := os.Stat(filepath.Join(dir, "state")); err != nil {
			t.Error("removed a state that is in use:", err)
		}
	})
}

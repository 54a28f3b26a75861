package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Remove removes the state in a directory, what was set aside with it, and the
// directory if nothing else is in it, whatever version wrote it. It is no error if there is none. The
// error is a *LockedError if a process uses it.
func Remove(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, lockName)); errors.Is(err, fs.ErrNotExist) { //nolint:gosec // wherever the user wants it
		return nil
	}
	s, err := openChecked(dir, func(string) error { return nil })
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if isOurs(e.Name()) {
			err = errors.Join(err, os.Remove(s.path(e.Name()))) //nolint:gosec // in our own directory
		}
	}
	// The lock is the last; not every system removes it while it is held.
	if err = errors.Join(err, s.Close(), os.Remove(s.path(lockName))); err != nil { //nolint:gosec // in our own directory
		return fmt.Errorf("remove state: %w", err)
	}
	_ = os.Remove(dir) //nolint:gosec // our own directory; it may hold more, or not be ours to remove
	return nil
}

// isOurs reports whether a file in a state directory is a part of the state.
func isOurs(name string) bool {
	return name == pidName || name == snapshotName ||
		slices.ContainsFunc([]string{snapshotName + "-", snapshotName + ".damaged-", journalName, probeName}, func(begin string) bool {
			return strings.HasPrefix(name, begin)
		})
}

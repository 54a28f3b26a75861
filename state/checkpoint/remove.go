package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Remove removes the state in a directory, including quarantined files and regardless
// of the version that wrote it, and then the directory if it is empty. It is no error
// if no state exists. The error is a *LockedError if a process uses the directory.
func Remove(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, lockName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s := &Store{dir: dir, format: Format}
	if err := s.open(func() error { return nil }); err != nil {
		return err
	}
	err := s.removeFiles(isOurs)
	// The lock comes last, and after Close: not every system removes a locked file.
	if err = errors.Join(err, s.Close(), os.Remove(s.path(lockName))); err != nil {
		return fmt.Errorf("remove state: %w", err)
	}
	_ = os.Remove(dir) // it may contain other files, or its parent be read-only
	return nil
}

// isOurs reports whether a file in a state directory belongs to the state.
func isOurs(name string) bool {
	return name == pidName || name == addressName || name == snapshotName || name == string(Endpoints) || name == string(Limits) || isTemporary(name) ||
		strings.HasPrefix(name, snapshotName+".damaged-") ||
		strings.HasPrefix(name, snapshotName+".foreign-") ||
		strings.HasPrefix(name, journalName)
}

package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// A LockedError means that another process uses the directory.
type LockedError struct {
	Dir string
	PID int // 0 if unknown
}

func (e *LockedError) Error() string {
	holder := "another process"
	if e.PID != 0 {
		holder = fmt.Sprintf("the process with pid %d", e.PID)
	}
	return fmt.Sprintf("state directory %s is in use by %s", e.Dir, holder)
}

var (
	errMissing = errors.New("is missing")
	errChanged = errors.New("was replaced or changed")
	errForeign = errors.New("written by another process")
)

// acquire creates the directory if necessary and locks it.
func acquire(dir string) (*flock.Flock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create state directory: %w", err)
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock state directory: %w", err)
	}
	if !locked {
		return nil, &LockedError{Dir: dir, PID: readPID(filepath.Join(dir, pidName))}
	}
	// If the file was removed after it was opened, another process can create and lock
	// a new file. Only the file with the name is the lock.
	if err := checkLock(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("lock state directory: %w", err), lock.Close())
	}
	return lock, nil
}

// checkLock returns an error unless the locked file still has the name of the lock.
func checkLock(lock *flock.Flock) error {
	info, err := lock.Stat()
	if err != nil {
		return fmt.Errorf("stat %s: %w", lockName, err)
	}
	return checkFile(lock.Path(), info, info.Size())
}

// checkFile returns an error unless path is the given file and has the given size.
func checkFile(path string, file fs.FileInfo, size int64) error {
	current, err := os.Stat(path) //nolint:gosec // in the directory that the user chose
	name := filepath.Base(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %w", name, errMissing)
	case err != nil:
		return fmt.Errorf("stat %s: %w", name, err)
	case !os.SameFile(current, file) || current.Size() != size:
		return fmt.Errorf("%s %w", name, errChanged)
	}
	return nil
}

// writePID records the process that holds the lock, and checks that files can be
// created in the directory.
func (s *Store) writePID() error {
	pid := strconv.Itoa(os.Getpid()) + "\n"
	if err := os.WriteFile(s.path(pidName), []byte(pid), 0o600); err != nil {
		return fmt.Errorf("write to state directory: %w", err)
	}
	probe, err := os.CreateTemp(s.dir, probeName+"*")
	if err != nil {
		return fmt.Errorf("write to state directory: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func readPID(path string) int {
	b, _ := os.ReadFile(path)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

// Check returns nil if the directory is still the locked directory and contains the
// written files. Otherwise the error names the file that was removed, moved, truncated
// or replaced: a process that dies now would lose its state. Reacquire repairs it.
func (s *Store) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := checkLock(s.lock)
	if err == nil && s.snapshot != nil {
		err = s.checkSnapshot()
	}
	if err == nil && s.journal != nil {
		err = s.checkJournal()
	}
	return err
}

func (s *Store) checkSnapshot() error {
	return checkFile(s.path(snapshotName), s.snapshot, s.snapshot.Size())
}

func (s *Store) checkJournal() error {
	info, err := s.journal.Stat()
	if err != nil {
		return fmt.Errorf("stat journal: %w", err)
	}
	return checkFile(s.path(journalFile(s.generation)), info, s.length)
}

// Reacquire locks the directory again, creating it if necessary, after Check has
// failed. A state that another process left there is quarantined and returned. Earlier
// files no longer count: Append refuses frames until the next Rotate, and the Commit
// after it restores durability. The error is a *LockedError if another process holds
// the lock.
func (s *Store) Reacquire() (quarantined []error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if checkLock(s.lock) != nil {
		lock, err := acquire(s.dir)
		if err != nil {
			return nil, err
		}
		_ = s.lock.Close() // its file has no name any more
		s.lock = lock
	}
	ours := s.snapshot != nil && s.checkSnapshot() == nil || s.journal != nil && s.checkJournal() == nil
	_ = s.closeJournal() // the next snapshot includes its frames
	s.snapshot = nil
	if err := errors.Join(s.writePID(), s.writeAddress()); err != nil || ours {
		return nil, err
	}
	return s.quarantineForeign()
}

// quarantineForeign quarantines the state left by another process.
func (s *Store) quarantineForeign() (quarantined []error, err error) {
	journals, _, err := s.journals()
	if err != nil {
		return nil, err
	}
	names := []string{snapshotName}
	for _, g := range journals {
		names = append(names, journalFile(g))
	}
	for _, name := range names {
		if _, err := os.Lstat(s.path(name)); err == nil {
			quarantined = append(quarantined, s.quarantine(name, "foreign", errForeign))
		}
	}
	return quarantined, nil
}

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

// A LockedError says that another process uses the directory.
type LockedError struct {
	Dir string
	PID int // 0 when it is not known
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("the process with pid %d", e.PID)
	}
	return fmt.Sprintf("state directory %s is in use by %s", e.Dir, who)
}

var (
	errMissing = errors.New("is not there any more")
	errOther   = errors.New("is not what was written")
	errForeign = errors.New("not of this process")
)

// acquire makes the directory if need be and locks it.
func acquire(dir string) (*flock.Flock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:gosec // wherever the user wants it
		return nil, fmt.Errorf("create state directory: %w", err)
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	ours, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock state directory: %w", err)
	}
	if !ours {
		return nil, &LockedError{Dir: dir, PID: readPID(filepath.Join(dir, pidName))}
	}
	// Whoever removes the file after it was opened lets another process lock
	// another one: only the one that has the name is the lock.
	if err := held(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("lock state directory: %w", err), lock.Close())
	}
	return lock, nil
}

// held returns why the file that is locked is not the one with its name, or nil.
func held(lock *flock.Flock) error {
	info, err := lock.Stat()
	if err != nil {
		return fmt.Errorf("look at %s: %w", lockName, err)
	}
	return inPlace(lock.Path(), info, info.Size())
}

// inPlace returns why the file with a name is not the given one, of the given
// size, or nil.
func inPlace(path string, file fs.FileInfo, size int64) error {
	now, err := os.Stat(path) //nolint:gosec // in our own directory
	name := filepath.Base(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %w", name, errMissing)
	case err != nil:
		return fmt.Errorf("look at %s: %w", name, err)
	case !os.SameFile(now, file) || now.Size() != size:
		return fmt.Errorf("%s %w", name, errOther)
	}
	return nil
}

// claim writes down who has the directory, which also shows that it can be
// written to.
func (s *Store) claim() error {
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
	b, err := os.ReadFile(path) //nolint:gosec // our own file
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

// Check returns nil if the directory still is the one that is locked, and holds
// what was written to it. The error says what was removed, moved away, cut or
// replaced: a process that dies now would not find its state again. Retake makes
// good for it.
func (s *Store) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := held(s.lock); err != nil {
		return err
	}
	if s.snapshot != nil {
		if err := s.hasSnapshot(); err != nil {
			return err
		}
	}
	if s.journal != nil {
		return s.hasJournal()
	}
	return nil
}

func (s *Store) hasSnapshot() error {
	return inPlace(s.path(snapshotName), s.snapshot, s.snapshot.Size())
}

func (s *Store) hasJournal() error {
	info, err := s.journal.Stat()
	if err != nil {
		return fmt.Errorf("look at journal: %w", err)
	}
	return inPlace(s.journalPath(s.generation), info, s.length)
}

// Retake takes possession of the directory again, which it makes if need be,
// after Check has found something missing. A state in it that is not ours is set
// aside, and told. Nothing that was written counts any more: Append takes
// no step until the next Rotate, whose Commit makes everything whole. The error is a
// *LockedError if another process has the directory by now.
func (s *Store) Reacquire() (aside []error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if held(s.lock) != nil {
		lock, err := acquire(s.dir)
		if err != nil {
			return nil, err
		}
		_ = s.lock.Close() // of a file that nobody finds any more
		s.lock = lock
	}
	ours := s.snapshot != nil && s.hasSnapshot() == nil || s.journal != nil && s.hasJournal() == nil
	_ = s.closeJournal() // the snapshot to come holds what is in it
	s.snapshot = nil
	if err := s.claim(); err != nil || ours {
		return nil, err
	}
	return s.displace()
}

// displace sets aside a state that another process has left.
func (s *Store) displace() (aside []error, err error) {
	journals, err := s.journals()
	if err != nil {
		return nil, err
	}
	names := []string{snapshotName}
	for _, g := range journals {
		names = append(names, filepath.Base(s.journalPath(g)))
	}
	for _, name := range names {
		if _, err := os.Lstat(s.path(name)); err == nil {
			aside = append(aside, s.setAside(name, "foreign", errForeign))
		}
	}
	return aside, nil
}

package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

const (
	lockName     = "lock"
	pidName      = "pid" // not in the lock: some systems let nobody else read a locked file
	snapshotName = "state"
	journalName  = "journal-"
	probeName    = "probe-"
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

// A Store is an open state directory. Its methods may be called by several
// goroutines, but Append only by one at a time, and not together with Rotate.
type Store struct {
	dir  string
	lock *flock.Flock

	mu         sync.Mutex // guards what follows
	generation uint64     // of the journal that is or was last written
	journal    *os.File   // nil before the first Rotate and after a failure
	unsynced   bool
	frame      []byte
}

// Open creates the directory if need be and takes possession of it. The error
// is a *LockedError if another process has it.
func Open(dir string) (*Store, error) {
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
	s := &Store{dir: dir, lock: lock}
	if err := s.claim(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
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

// Close lets go of the directory. What was appended is synced first.
func (s *Store) Close() error {
	err := s.Sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	err = errors.Join(err, s.closeJournal())
	return errors.Join(err, s.lock.Close())
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }

func (s *Store) journalPath(generation uint64) string {
	return s.path(journalName + strconv.FormatUint(generation, 10))
}

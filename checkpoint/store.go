package checkpoint

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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

// A Store is an open state directory. Its methods may be called by several
// goroutines, but Append only by one at a time, and not together with Rotate.
type Store struct {
	dir string

	mu         sync.Mutex // guards what follows
	lock       *flock.Flock
	snapshot   fs.FileInfo // the one that was written last; nil before the first
	generation uint64      // of the journal that is or was last written
	journal    *os.File    // nil before the first Rotate and after a failure
	length     int64       // of what it holds, in bytes
	empty      int64       // its length without any step
	oldest     uint32      // oldest version that can read the snapshot that was loaded
	whole      bool        // Load has repeated all of it, and nothing was written since
	unsynced   bool
	frame      []byte
}

// Open creates the directory if need be and takes possession of it. The error
// is a *LockedError if another process has it, and a *VersionError if a newer version
// wrote any part of the state in it; then nothing in the directory has changed.
func Open(dir string) (*Store, error) {
	if err := refuseNewer(dir); err != nil { // before there is a lock
		return nil, err
	}
	return openChecked(dir, refuseNewer)
}

func openChecked(dir string, check func(dir string) error) (*Store, error) {
	lock, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, lock: lock}
	err = check(dir) // which the process that had the lock may have changed
	if err == nil {
		err = s.claim()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
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
	return journalIn(s.dir, generation)
}

func journalIn(dir string, generation uint64) string {
	return filepath.Join(dir, journalName+strconv.FormatUint(generation, 10))
}

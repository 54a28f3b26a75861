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
	pidName      = "pid" // separate, since some systems deny reading a locked file
	snapshotName = "state"
	journalName  = "journal-"
	probeName    = "probe-"

	endpointsName = "endpoints.json"
	limitsName    = "limits.json"
)

// A Store is an open state directory. Its methods may be called concurrently, except
// that calls of Append and Rotate must not overlap.
type Store struct {
	dir    string
	format uint32 // written and expected; Format except in tests

	mu           sync.Mutex // guards the fields below
	lock         *flock.Flock
	snapshot     fs.FileInfo // of the newest snapshot; nil before the first
	generation   uint64      // of the newest journal
	journal      *os.File    // nil before the first Rotate and after a failure
	length       int64       // of the journal, in bytes
	headerLength int64       // length of the journal without any frame
	resumable    bool        // Load replayed the whole journal; nothing was written since
	unsynced     bool
	buf          []byte // for Append
}

// Open creates the directory if necessary and locks it. The error is a *LockedError if
// another process holds the lock, and a *VersionError if any part of the state has a
// newer format or was written by a development version; in that case nothing in the
// directory has changed.
func Open(dir string) (*Store, error) { return openFormat(dir, Format) }

// openFormat is Open for a version that writes the given format.
func openFormat(dir string, format uint32) (*Store, error) {
	if err := refuse(dir, format); err != nil { // before creating the lock
		return nil, err
	}
	return openChecked(dir, format, refuse)
}

func openChecked(dir string, format uint32, check func(dir string, newest uint32) error) (*Store, error) {
	lock, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, format: format, lock: lock}
	err = check(dir, format) // again: the previous holder of the lock may have written it
	if err == nil {
		err = s.writePID()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close syncs the journal and releases the directory.
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

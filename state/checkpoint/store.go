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
)

// A Store is an open state directory. Its methods may be called concurrently, except
// that calls of Append and Rotate must not overlap.
type Store struct {
	dir    string
	format uint32 // written and expected; Format except in tests

	mu           sync.Mutex // guards the fields below
	lock         *flock.Flock
	address      Address     // where this process serves; zero before SetAddress
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
	s := &Store{dir: dir, format: format}
	if err := s.refuse(); err != nil { // before creating the lock
		return nil, err
	}
	if err := s.open(s.refuse); err != nil { // again: the previous holder may have written it
		return nil, err
	}
	return s, nil
}

// open locks the directory, unless check returns an error then.
func (s *Store) open(check func() error) (err error) {
	if s.lock, err = acquire(s.dir); err != nil {
		return err
	}
	if err = check(); err == nil {
		err = errors.Join(s.writePID(), s.writeAddress())
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// Close syncs the journal, removes the address and releases the directory.
func (s *Store) Close() error {
	err := s.Sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	err = errors.Join(err, s.closeJournal())
	if s.address != (Address{}) && checkLock(s.lock) == nil {
		err = errors.Join(err, s.removeAddress())
	}
	return errors.Join(err, s.lock.Close())
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }

// readFile reads a file in the directory.
func (s *Store) readFile(name string) ([]byte, error) {
	if err := checkRegular(s.path(name)); err != nil {
		return nil, err
	}
	return os.ReadFile(s.path(name))
}

var errNotRegular = errors.New("not a regular file")

// checkRegular returns an error unless a path is a regular file: opening a FIFO or a
// device may block.
func checkRegular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	return err
}

func journalFile(generation uint64) string {
	return journalName + strconv.FormatUint(generation, 10)
}

// removeFiles removes the files in the directory whose names match. A directory is not
// part of a state.
func (s *Store) removeFiles(match func(name string) bool) error {
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		if match(e.Name()) && !e.IsDir() {
			err = errors.Join(err, os.Remove(s.path(e.Name())))
		}
	}
	return err
}

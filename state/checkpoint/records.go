package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
)

// A Record is a file beside the state: it changes without a frame, and losing it
// changes no count.
type Record string

// The records.
const (
	Endpoints Record = "endpoints.json" // progress of remote-write endpoints
	Limits    Record = "limits.json"    // use of usage limits
)

// LoadRecord returns the content of a record, nil if it does not exist.
func (s *Store) LoadRecord(r Record) ([]byte, error) {
	b, err := s.readFile(string(r))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read record: %w", err)
	}
	return b, nil
}

// SaveRecord replaces the content of a record, unless the directory is no longer the
// locked directory.
func (s *Store) SaveRecord(r Record, b []byte) error {
	s.mu.Lock()
	err := checkLock(s.lock)
	s.mu.Unlock() // writing may take long, and Append must not wait
	if err == nil {
		_, err = s.replace(string(r), b)
	}
	if err != nil {
		return fmt.Errorf("write record %s: %w", r, err)
	}
	return nil
}

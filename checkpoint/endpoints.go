package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// LoadEndpoints returns the record of SaveEndpoints, nil if there is none.
func (s *Store) LoadEndpoints() ([]byte, error) {
	b, err := os.ReadFile(s.path(endpointsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read record of endpoints: %w", err)
	}
	return b, nil
}

// SaveEndpoints replaces the record of how far remote-write endpoints are. It is beside
// the state and not in it: it changes without a step, and losing it falsifies no count.
// It is not written if the directory is no longer the locked one.
func (s *Store) SaveEndpoints(b []byte) error {
	s.mu.Lock()
	err := checkLock(s.lock)
	s.mu.Unlock() // writing may take long, and Append must not wait
	if err == nil {
		_, err = s.replace(endpointsName, b)
	}
	if err != nil {
		return fmt.Errorf("write record of endpoints: %w", err)
	}
	return nil
}

package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// LoadEndpoints returns the record of SaveEndpoints, nil if there is none.
func (s *Store) LoadEndpoints() ([]byte, error) { return s.loadRecord(endpointsName) }

// SaveEndpoints replaces the record of how far remote-write endpoints are. It is beside
// the state and not in it: it changes without a frame, and losing it changes no count.
// It is not written if the directory is no longer the locked one.
func (s *Store) SaveEndpoints(b []byte) error { return s.saveRecord(endpointsName, b) }

// LoadLimits returns the record of SaveLimits, nil if there is none.
func (s *Store) LoadLimits() ([]byte, error) { return s.loadRecord(limitsName) }

// SaveLimits replaces the record of how full usage limits are, see SaveEndpoints.
func (s *Store) SaveLimits(b []byte) error { return s.saveRecord(limitsName, b) }

func (s *Store) loadRecord(name string) ([]byte, error) {
	b, err := os.ReadFile(s.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read record: %w", err)
	}
	return b, nil
}

func (s *Store) saveRecord(name string, b []byte) error {
	s.mu.Lock()
	err := checkLock(s.lock)
	s.mu.Unlock() // writing may take long, and Append must not wait
	if err == nil {
		_, err = s.replace(name, b)
	}
	if err != nil {
		return fmt.Errorf("write record %s: %w", name, err)
	}
	return nil
}

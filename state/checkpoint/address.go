package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// addressName is the file that states where the process that holds the lock serves.
const addressName = "address.json"

// An Address states where a daemon serves.
type Address struct {
	URL string `json:"url"` // without a trailing slash
	// Instance is a random text of the process, which the daemon repeats in every
	// response. Without the same text, another daemon answers: the address is that of a
	// process that was killed.
	Instance string `json:"instance"`
}

// ReadAddress returns the address of the daemon that uses a directory, or false if it
// is unknown. It locks nothing, so the address may be of a killed process.
func ReadAddress(dir string) (a Address, ok bool) {
	path := filepath.Join(dir, addressName)
	if checkRegular(path) != nil {
		return a, false
	}
	b, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(b, &a) != nil || a.URL == "" || a.Instance == "" {
		return Address{}, false
	}
	return a, true
}

// SetAddress records where this process serves, until Close.
func (s *Store) SetAddress(a Address) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := checkLock(s.lock); err != nil {
		return fmt.Errorf("write address: %w", err)
	}
	s.address = a
	return s.writeAddress()
}

// writeAddress replaces the address of an earlier process, or removes it as long as
// this process does not serve.
func (s *Store) writeAddress() error {
	if s.address == (Address{}) {
		return s.removeAddress()
	}
	b, err := json.Marshal(s.address)
	if err == nil {
		_, err = s.replace(addressName, b)
	}
	if err != nil {
		return fmt.Errorf("write address: %w", err)
	}
	return nil
}

func (s *Store) removeAddress() error {
	if err := os.Remove(s.path(addressName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove address: %w", err)
	}
	return nil
}

package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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

// maxAddress is the most bytes of the file of an address.
const maxAddress = 4 << 10

// ReadAddress returns the address of the daemon that uses a directory, or false if it
// is unknown: only a file of the user of this process counts, with a URL on this
// machine, and only as long as the process exists whose pid is in the directory. It
// locks nothing: a daemon that starts now would fail. After a kill, another process may
// have the pid, so the address may still be of a killed process.
func ReadAddress(dir string) (a Address, ok bool) {
	path := filepath.Join(dir, addressName)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxAddress || !isOwn(info) {
		return a, false
	}
	b, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(b, &a) != nil || !isLocal(a.URL) || a.Instance == "" || !holderExists(dir) {
		return Address{}, false
	}
	return a, true
}

// holderExists reports whether the process may exist that wrote its pid last.
func holderExists(dir string) bool {
	pid := readPID(filepath.Join(dir, pidName))
	if pid <= 0 {
		return true // unknown
	}
	process, err := os.FindProcess(pid)
	if err != nil { // on Windows
		return errors.Is(err, fs.ErrPermission)
	}
	err = process.Signal(syscall.Signal(0))
	_ = process.Release()
	return !errors.Is(err, os.ErrProcessDone)
}

// isLocal reports whether a URL is only the scheme, host and port of a server on this
// machine.
func isLocal(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path+u.RawQuery+u.Fragment != "" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if own, err := os.Hostname(); host == "localhost" || err == nil && strings.EqualFold(host, own) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || isInterface(ip))
}

// isInterface reports whether an interface of this machine has an address.
func isInterface(ip netip.Addr) bool {
	addresses, _ := net.InterfaceAddrs()
	return slices.ContainsFunc(addresses, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr() == ip.WithZone("").Unmap()
	})
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
	err := os.Remove(s.path(addressName)) //nolint:gosec // in the directory that the user chose
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove address: %w", err)
	}
	return nil
}

// Package leaktest fails the tests of a package if they leak goroutines or file
// descriptors.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is the limit for goroutines and descriptors to end. It is long, for busy
// machines: only leaks wait that long.
const patience = time.Minute

// Main runs the tests of a package and exits, like os.Exit(m.Run()). Tests that pass
// nevertheless fail if they leave more goroutines or descriptors than before. The
// cleanups run after the tests, such as http.DefaultClient.CloseIdleConnections.
func Main(m *testing.M, cleanups ...func()) {
	before := descriptors()
	code := m.Run()
	for _, cleanup := range cleanups {
		cleanup()
	}
	if code == 0 {
		if err := leaks(before, patience); err != nil {
			fmt.Fprintf(os.Stderr, "The tests leak: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}

func leaks(before int, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		err := goleak.Find() // waits for a short time itself
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			return err
		}
	}
	now := descriptors()
	for ; now > before && time.Now().Before(deadline); now = descriptors() {
		<-time.After(time.Millisecond)
	}
	if now > before {
		return fmt.Errorf("%d file descriptors are open, want at most %d", now, before)
	}
	return nil
}

// Descriptors returns the number of open file descriptors, or skips the test if it is
// unknown.
func Descriptors(t testing.TB) int {
	t.Helper()
	n := descriptors()
	if n == 0 {
		t.Skip("the number of file descriptors is unknown on this system")
	}
	return n
}

// descriptors returns the number of open file descriptors, 0 if it is unknown.
func descriptors() int {
	// The runtime opens its own descriptors when it polls for the first time.
	if r, w, err := os.Pipe(); err == nil {
		_, _ = r.Close(), w.Close() // unused
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

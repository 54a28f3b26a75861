// Package leaktest has tests of a package fail that leave something behind.
package leaktest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is the limit for goroutines and descriptors that are about to end. It is
// long, for busy machines: only tests that leave something behind wait for its end.
const patience = time.Minute

// Main runs the tests of a package and ends the process, as os.Exit(m.Run())
// does. Tests that passed have failed if goroutines or descriptors are left that
// were not there before.
func Main(m *testing.M) {
	before := descriptors()
	code := m.Run()
	http.DefaultClient.CloseIdleConnections() // which are for whoever asks next
	if code == 0 {
		if err := left(before, patience); err != nil {
			fmt.Fprintf(os.Stderr, "The tests leave something behind: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}

func left(before int, patience time.Duration) error {
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
		return fmt.Errorf("%d descriptors are open, %d were before", now, before)
	}
	return nil
}

// descriptors returns how many are open, 0 where the system does not tell.
func descriptors() int {
	// The runtime keeps some of its own from the first time on that it waits for one.
	var of net.ListenConfig
	if l, err := of.Listen(context.Background(), "tcp", "127.0.0.1:0"); err == nil {
		_ = l.Close() // nobody has connected
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

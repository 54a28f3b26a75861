// Package polltest waits in tests for things that happen concurrently. It polls
// conditions until a deadline, and its buffer can be read while it is written.
package polltest

import (
	"bytes"
	"sync"
	"testing"
	"time"
)

// Timeout is the limit for everything that a test waits for. It is long, for busy
// machines: only a failing test waits for its end.
const Timeout = 4 * time.Minute

// Eventually waits until a condition holds, and fails the test at the timeout.
func Eventually(t testing.TB, condition string, holds func() bool) {
	t.Helper()
	if !Poll(time.Millisecond, holds) {
		t.Fatalf("timeout after %v, waiting until %s", Timeout, condition)
	}
}

// Poll checks a condition until it holds, and reports whether it did before the
// timeout. The pauses begin with shortest and become longer, up to a tenth of the time
// waited so far, so that waiting takes little of the processor.
func Poll(shortest time.Duration, holds func() bool) bool {
	return poll(Timeout, shortest, holds)
}

func poll(timeout, shortest time.Duration, holds func() bool) bool {
	const longest = 300 * time.Millisecond
	start := time.Now()
	for !holds() {
		waited := time.Since(start)
		if waited > timeout {
			return false
		}
		time.Sleep(max(shortest, min(waited/10, longest)))
	}
	return true
}

// A Buffer is a buffer for concurrent use, such as for a log.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns everything that was written.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

package polltest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestPoll(t *testing.T) {
	calls := 0
	if !poll(0, time.Millisecond, func() bool { return true }) || poll(0, time.Millisecond, func() bool { return false }) {
		t.Error("the result differs from a condition that is constant")
	}
	Eventually(t, "the third call", func() bool { calls++; return calls == 3 })
	if calls != 3 {
		t.Errorf("got %d calls, want 3", calls)
	}
}

func TestBuffer(t *testing.T) {
	const lines = 100
	var b Buffer
	go func() {
		for range lines {
			_, _ = fmt.Fprintln(&b, "line") // never fails
		}
	}()
	Eventually(t, "all lines are in the buffer", func() bool { return strings.Count(b.String(), "line\n") == lines })
}

package leaktest

import (
	"os"
	"strings"
	"testing"
)

func TestLeaks(t *testing.T) {
	before := descriptors()
	if err := leaks(before, 0); err != nil {
		t.Errorf("without a leak, got %v", err)
	}
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only opened
	if before == 0 {
		t.Skip("the number of file descriptors is unknown")
	}
	if err := leaks(before, 0); err == nil || !strings.Contains(err.Error(), "file descriptors are open") {
		t.Errorf("with an open file, got %v", err)
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() { <-stop }()
	if err := leaks(before+1, 0); err == nil || !strings.Contains(err.Error(), "goroutine") {
		t.Errorf("with a running goroutine, got %v", err)
	}
}

package leaktest

import (
	"os"
	"strings"
	"testing"
)

func TestLeft(t *testing.T) {
	before := descriptors()
	if err := left(before, 0); err != nil {
		t.Errorf("nothing is left, but %v", err)
	}
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only opened
	if before == 0 {
		t.Skip("the system does not tell of descriptors")
	}
	if err := left(before, 0); err == nil || !strings.Contains(err.Error(), "descriptors are open") {
		t.Errorf("an open file is told as %v", err)
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() { <-stop }()
	if err := left(before+1, 0); err == nil || !strings.Contains(err.Error(), "goroutine") {
		t.Errorf("a goroutine that goes on is told as %v", err)
	}
}

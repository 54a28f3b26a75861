//go:build unix

package daemon

import (
	"syscall"
	"testing"
)

func makeFIFO(t testing.TB, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
}

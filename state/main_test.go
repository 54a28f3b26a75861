package state

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // the tests allocate much and keep little
	os.Exit(m.Run())
}

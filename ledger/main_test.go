package ledger

import (
	"runtime/debug"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // the tests allocate much and keep little
	leaktest.Main(m)
}

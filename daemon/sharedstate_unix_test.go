//go:build unix

package daemon

import (
	"os"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A state directory that other users can write to is not accepted silently.
func TestSharedState(t *testing.T) {
	for mode, want := range map[os.FileMode]int{0o700: 0, 0o777: 1} {
		h := newHarness(t)
		log := new(polltest.Buffer)
		h.log = log
		if err := os.MkdirAll(h.stateDir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(h.stateDir, mode); err != nil {
			t.Fatal(err)
		}
		h.start()
		h.stop()
		if n := strings.Count(log.String(), `level=WARN msg="Other users can change the state directory, restrict it with chmod 700"`); n != want {
			t.Errorf("mode %o: got %d warnings, want %d", mode, n, want)
		}
	}
}

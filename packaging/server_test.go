package packaging_test

import (
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// Each call of increase in a file is replaced, and nothing else changes.
func TestReadFor(t *testing.T) {
	calls := 0
	for _, name := range packaging.Monitoring() {
		text := packaging.Read(name)
		n := strings.Count(text, "increase(")
		calls += n
		for server, with := range map[packaging.Server]string{
			packaging.PrometheusServer:   "increase(",
			packaging.AnchoredPrometheus: "] anchored",
			packaging.VictoriaMetrics:    "increase_prometheus(",
		} {
			changed := packaging.ReadFor(server, name)
			if got := strings.Count(changed, with); got != n {
				t.Errorf("%s for %s: %d of %d calls of increase have %q", name, server, got, n, with)
			}
			back := strings.NewReplacer("] anchored", "]", "increase_prometheus(", "increase(").Replace(changed)
			if back != text {
				t.Errorf("%s for %s differs in more than calls of increase", name, server)
			}
		}
	}
	if calls < 100 {
		t.Errorf("got %d calls of increase, want at least 100", calls)
	}
}

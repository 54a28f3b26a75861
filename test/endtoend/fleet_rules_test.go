//go:build endtoend && fleet

package endtoend

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"testing"
)

// loadRules loads the rules into Mimir's ruler, as docs/remote-write.md does, but with
// short intervals.
func loadRules(t *testing.T, mimir *Server) {
	t.Helper()
	writeRules(t, mimir, rulesInterval)
	files, err := filepath.Glob(filepath.Join(mimir.Dir, "*.rules"))
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"rules", "load", "--address=" + mimir.URL(), "--id=" + tenant}, files...)
	if out, err := exec.CommandContext(t.Context(), Program(t, Mimirtool), args...).CombinedOutput(); err != nil {
		t.Fatalf("load the rules: %v\n%s", err, out)
	}
}

// checkRecorded checks that Mimir evaluates all rules, and records the cost of every
// user.
func checkRecorded(t *testing.T, mimir *Server, users []string) {
	t.Helper()
	awaitRules(t, mimir)
	const recorded, direct = `user:claude_cost_usd:increase1d`, `sum by (user) (increase(claude_cost_usd_total[1d]))`
	Eventually(t, "the cost of every user is recorded", func() error {
		got := make(map[string]float64)
		for _, ts := range query(t, mimir, recorded) {
			got[ts.Labels["user"]] = ts.Samples[0].Value
		}
		want := query(t, mimir, direct)
		if len(want) != len(users) || len(got) != len(users) {
			return fmt.Errorf("got %d users, want %d", len(got), len(want))
		}
		for _, ts := range want {
			// The extrapolation depends on the time of the evaluation.
			if user, want := ts.Labels["user"], ts.Samples[0].Value; math.Abs(got[user]-want) > .02*want || want <= 0 {
				return fmt.Errorf("%s has cost %g, want %g", user, got[user], want)
			}
		}
		return nil
	})
}

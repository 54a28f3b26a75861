//go:build endtoend

package endtoend

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// An upgrade replaces a daemon by other versions, while a Prometheus scrapes it.
type upgrade struct {
	*testing.T

	first, newer string // programs
	daemon       *Server
	prometheus   *Server
	sessions     *sessions
}

// Every series keeps its value when a newer version replaces a killed daemon, although
// transcripts were deleted. The present version refuses the state then. Prometheus sees
// no reset.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	u := newUpgrade(t)
	u.begin()

	u.sessions.write(t, 2*time.Hour)
	u.awaitTotals("the first version counts")
	u.awaitQuiet()
	before := u.awaitPrometheus("Prometheus is up to date with the first version")
	u.daemon.Kill(t)
	u.sessions.hideHalf(t)

	u.start(u.newer)
	_, now := u.scrape()
	checkSame(t, "upgraded", ofFirst(before), ofFirst(now))
	u.awaitPrometheus("Prometheus is up to date after the upgrade")
	checkResets(t, u.prometheus, counterNames(), lookback)
	u.sessions.write(t, time.Hour)
	u.awaitTotals("the newer version counts")
	u.checkRestored()
	u.awaitQuiet()
	after := u.awaitPrometheus("Prometheus is up to date with the newer version")
	checkFuture(t, after)
	checkAllCounted(t, ofFirst(after))
	u.daemon.Kill(t)

	u.checkRefused()
	u.start(u.newer)
	_, again := u.scrape()
	checkSame(t, "started once more", after, again)
	u.awaitPrometheus("Prometheus is up to date with the newer version, started once more")
	checkResets(t, u.prometheus, append(counterNames(), futureName), lookback)
}

func newUpgrade(t *testing.T) *upgrade {
	t.Helper()
	u := &upgrade{T: t, first: Daemon(t), newer: newerDaemon(t), sessions: newSessions(t)}
	u.daemon = NewDaemon(t, u.first, fmt.Sprintf("sources: [{path: %q, labels: {user: somebody}}]\nintervals: {message_timeout: %s, zero_window: %s}\n", u.sessions.dir, upgradeTimeout, upgradeWindow))
	u.prometheus = NewPrometheus(t, "Prometheus", Prometheus, strings.ReplaceAll(scrapeConfig(u.daemon), "2s", "1s"))
	return u
}

// begin starts the first version and Prometheus, which scrapes before anything is
// counted.
func (u *upgrade) begin() {
	u.Helper()
	u.daemon.Start(u)
	u.prometheus.Start(u)
	u.awaitPrometheus("Prometheus scrapes")
}

// start starts a version, which must not report any problem.
func (u *upgrade) start(program string) {
	u.Helper()
	u.daemon.Program = program
	u.daemon.Start(u)
	checkHealthy(u.T, u.daemon)
}

// checkHealthy checks that a daemon reports no problem.
func checkHealthy(t *testing.T, daemon *Server) {
	t.Helper()
	text, _ := scrape(t, daemon)
	if !strings.Contains(text, "\nccwatchd_state_damaged_total 0\n") {
		t.Error("the state is damaged")
	}
	var log []string
	for line := range strings.Lines(string(daemon.Log(t))) {
		expected := strings.Contains(line, "intervals.zero_window: ") || strings.Contains(line, "add /projects, where its sessions are") || strings.Contains(line, "Found no sessions")
		if !expected {
			log = append(log, line)
		}
	}
	if len(log) > 0 {
		t.Errorf("got log %s", log)
	}
}

// scrape returns the exposition, and the counters in the state of any version.
func (u *upgrade) scrape() (text string, numbers map[string]float64) {
	u.Helper()
	text, _ = scrape(u.T, u.daemon)
	return text, numbersOf(u.T, text, append(familyNames(), futureName))
}

// awaitPrometheus waits until Prometheus is up to date, and returns the counters.
func (u *upgrade) awaitPrometheus(what string) map[string]float64 {
	u.Helper()
	awaitSettled(u.T, what, u.daemon, func(numbers map[string]float64) error { return upToDate(u.T, u.prometheus, numbers) })
	_, numbers := u.scrape()
	return numbers
}

// awaitTotals waits until the daemon has the totals of all sessions so far.
func (u *upgrade) awaitTotals(what string) {
	u.Helper()
	want := totalsOf(u.T, u.first, u.sessions.all)
	Eventually(u, what, func() error {
		text, _ := u.scrape()
		return compareTotals(want, textOfFirst(text))
	})
}

// checkRestored restores the transcripts that were deleted before the upgrade, and
// checks that they are not counted again.
func (u *upgrade) checkRestored() {
	u.Helper()
	const read = "ccwatchd_read_bytes_total"
	before := u.awaitQuiet()
	size := u.sessions.restore(u.T)
	var after map[string]float64
	Eventually(u, "the restored files are read", func() error {
		if _, after = u.scrape(); after[read] < before[read]+float64(size) {
			return fmt.Errorf("read %g of %d bytes", after[read]-before[read], size)
		}
		for name, n := range after {
			if strings.HasPrefix(name, "ccwatchd_duplicates_total") && n == 0 {
				return fmt.Errorf("%s is new and still 0", name)
			}
		}
		return nil
	})
	for name, n := range before {
		if strings.HasPrefix(name, "claude_") && !isFuture(name) && !equal(after[name], n) {
			u.Errorf("%s after reading again: got %g, want %g", name, after[name], n)
		}
	}
}

// The intervals of the daemon that is upgraded.
const (
	upgradeTimeout = time.Second // a file without new lines for this time is quiet
	upgradeWindow  = 3 * time.Second
)

// awaitQuiet waits until nothing counts any more because files are quiet, as turns and
// runs of sub-agents do, and no series is new, and returns the counters.
func (u *upgrade) awaitQuiet() (numbers map[string]float64) {
	u.Helper()
	const quiet = upgradeTimeout + 2*upgradeWindow // one of them for slow machines
	since := time.Now()
	Eventually(u, "the counters are quiet", func() error {
		_, now := u.scrape()
		if !maps.Equal(now, numbers) {
			numbers, since = now, time.Now()
		}
		if time.Since(since) < quiet {
			return errors.New("they have changed")
		}
		return nil
	})
	return numbers
}

// checkRefused checks that the first version refuses the newer version's state with an
// explanation, and does not change it.
func (u *upgrade) checkRefused() {
	u.Helper()
	state := func() transcripttest.Tree {
		files := transcripttest.ReadTree(u, filepath.Join(u.daemon.Dir, "state"))
		files["pid"] = "" // differs
		return files
	}
	before := state()
	u.daemon.Program = u.first
	out, err := u.daemon.command(u.Context()).CombinedOutput()
	exit := new(exec.ExitError)
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		u.Errorf("exit status of the first version: got %v, want 1", err)
	}
	want := fmt.Sprintf("format %d, this version reads up to %d: written by a newer version: install the newer version again", checkpoint.Format+1, checkpoint.Format)
	if !strings.Contains(string(out), want) {
		u.Errorf("output of the first version: got %s, want %s", out, want)
	}
	if !maps.Equal(before, state()) {
		u.Error("the first version changed the state that it refuses")
	}
}

// notCounted are families that these sessions leave empty: no session ends during the
// test, and the remaining events are rare.
var notCounted = []string{
	"claude_background_tasks_total", "claude_cache_misses_total", "claude_cache_rewritten_tokens_total",
	"claude_cache_rewritten_cost_usd_total", "claude_fast_mode_premium_usd_total",
	"claude_reported_cost_basis_total", "claude_session_duration_seconds", "claude_session_prompts", "claude_session_requests",
}

// checkAllCounted checks that every other counter of Claude Code has a value.
func checkAllCounted(t *testing.T, numbers map[string]float64) {
	t.Helper()
	sums := make(map[string]float64)
	for series, n := range numbers {
		name, _, _ := strings.Cut(series, "{")
		sums[name] += n
	}
	for _, f := range ledger.Families(ledger.Options{}) {
		value := sums[f.Name]
		if f.Type == counters.Histogram {
			value = sums[f.Name+"_count"]
		}
		if !f.Type.IsGauge() && strings.HasPrefix(f.Name, "claude_") && value == 0 && !slices.Contains(notCounted, f.Name) {
			t.Errorf("%s: nothing is counted", f.Name)
		}
	}
}

// checkSame checks that both have the same counters.
func checkSame(t *testing.T, when string, want, got map[string]float64) {
	t.Helper()
	const enough = 100
	if len(want) < enough {
		t.Errorf("%s: only %d counters", when, len(want))
	}
	if err := compareNumbers(want, got); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

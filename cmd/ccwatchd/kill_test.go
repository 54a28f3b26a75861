package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

var seed = flag.Uint64("seed", 1, "seed of the random numbers in the tests")

// TestKilled kills and terminates the daemon repeatedly, during writes and scrapes. No
// counter may decrease or be reset, and the final counters must equal a single reading
// of the same files. After a clean stop, the next daemon exposes the same counters.
func TestKilled(t *testing.T) {
	skipOnWindows(t)
	kills := testsize.Of(50, 8)
	rng := rand.New(rand.NewPCG(*seed, 0))
	p := newRaceSandbox(t)
	p.configure(t, killSettings(p, "10m"))
	w := newTraffic(t, rand.New(rand.NewPCG(*seed, 1)), p.projects(), fixtures(t),
		transcripttest.Generate(*seed, transcripttest.Options{Copies: true, Size: 60}))
	all := filepath.Join(t.TempDir(), "projects") // including deleted files
	share := w.size/kills + 1
	var h counterChecker
	gone := make(transcripttest.Tree)
	for i := range kills {
		var writing sync.WaitGroup
		writing.Go(func() {
			clock := time.NewTicker(time.Millisecond)
			defer clock.Stop()
			w.write(share, clock.C)
		})
		p.runAndKill(t, rng, &h)
		writing.Wait()
		if i%10 == 5 {
			maps.Copy(gone, p.countAndDelete(t, &h, i))
		}
	}
	w.finish()
	if h.scrapes < kills {
		t.Errorf("got %d scrapes, want more", h.scrapes)
	}
	readTranscripts(t, p.projects()).Write(t, all)
	gone.Write(t, all)

	p.configure(t, killSettings(p, "1s"))
	d := p.start(t).ready()
	once := p.once(t, all)
	want := shown(t, once)
	d.waitForTotals(want, &h, reference.Options{})
	const observed = "claude_request_duration_seconds_count"
	requests, _ := parse(t, once, plainText).Sum(observed)
	polltest.Eventually(t, "the last request of each file is observed", func() bool { return d.sample(observed) >= requests })
	before, _ := d.scrape(protobuf)
	d.stop()
	d = p.start(t).ready()
	d.waitForTotals(want, &h, reference.Options{})
	after, _ := d.scrape(protobuf)
	checkSameCounters(t, persistent(before), persistent(after))
	if n := d.sample("ccwatchd_label_overflow_total"); n == 0 {
		t.Error("no label exceeds its limit")
	}
	if n := d.sample("ccwatchd_state_damaged_total") + d.sample("ccwatchd_checkpoint_failures_total"); n != 0 {
		t.Errorf("got %v damaged states and failed checkpoints", n)
	}
}

// checkSameCounters fails the test if a restart changed a counter or its created
// timestamp.
func checkSameCounters(t *testing.T, before, after map[string]exposition.Sample) {
	t.Helper()
	if len(before) == 0 || len(after) != len(before) {
		t.Errorf("got %d counters after a restart and %d before it", len(after), len(before))
	}
	for series, want := range before {
		if got, found := after[series]; !found || got.Value != want.Value || !got.Created.Equal(want.Created) {
			t.Errorf("after a restart %s is %v, created %v, want %v, created %v", series, got.Value, got.Created, want.Value, want.Created)
		}
	}
}

// killSettings returns a configuration with few projects, so that their order matters,
// and with short intervals.
func killSettings(p sandbox, settle string) string {
	return fmt.Sprintf(`
sources:
  - path: %q
    labels: {user: dev}
labels:
  max_values: {project: 4, mcp_server: 1}
intervals: {scan: 1s, poll: 20ms, checkpoint: 1s, sync: 10ms, message_timeout: %s}
`, p.projects(), settle)
}

// runAndKill runs the daemon for a random time, scrapes it without a pause, and ends it
// with SIGKILL or SIGTERM, mostly after two scrapes and otherwise during the start.
func (p sandbox) runAndKill(t *testing.T, rng *rand.Rand, h *counterChecker) {
	t.Helper()
	d := p.daemon(t).run()
	scrapes := 0
	scrape := func() {
		if samples, ok := d.scrapeInTurn(scrapes); ok {
			h.check(t, samples)
			scrapes++
		}
	}
	if rng.IntN(5) > 0 {
		d.listens().ready()
		scrape()
		scrape()
	}
	end := syscall.SIGKILL
	if rng.IntN(3) == 0 {
		end = syscall.SIGTERM
	}
	time.AfterFunc(time.Duration(rng.IntN(120))*time.Millisecond, func() { _ = d.cmd.Process.Signal(end) })
	for !d.hasEnded() {
		scrape()
	}
	log := d.log.String()
	if d.hasLoggedFault() || strings.Contains(log, "panic:") || d.code > 0 {
		t.Errorf("the daemon exited with code %d:\n%s", d.code, log)
	}
}

// scrapeInTurn scrapes in the text format if n is even, and otherwise as protobuf.
func (d *process) scrapeInTurn(n int) (exposition.Samples, bool) {
	if d.address == "" {
		<-time.After(time.Millisecond) // not listening yet
		return nil, false
	}
	return d.scrape([]string{plainText, protobuf}[n%2])
}

// countAndDelete adds a session, waits until it is exposed, and deletes it while no
// daemon runs.
func (p sandbox) countAndDelete(t *testing.T, h *counterChecker, n int) transcripttest.Tree {
	t.Helper()
	s := script{cwd: "/home/dev/doomed", session: uuid(900_000 + n), at: time.Date(2026, 5, n%28+1, 0, 0, 0, 0, time.UTC)}
	tool := fmt.Sprintf("Doomed%d", n)
	path := "-home-dev-doomed/" + s.session + ".jsonl"
	deleted := transcripttest.Tree{path: s.prompt("doomed") + s.call(tool+"1", tool) + s.result(tool+"1", "done") + s.call(tool+"2", tool)}
	deleted.Write(t, p.projects())
	d := p.start(t).ready()
	polltest.Eventually(t, "the session is exposed", func() bool {
		samples, ok := d.scrape(plainText)
		if ok {
			h.check(t, samples)
		}
		calls, _ := samples.Sum("claude_tool_calls_total", "tool", tool)
		return calls == 2
	})
	d.kill()
	removeFile(t, filepath.Join(p.projects(), filepath.FromSlash(path)))
	return deleted
}

// once returns the metrics of a directory according to "ccwatchd once".
func (p sandbox) once(t testing.TB, dir string) string {
	t.Helper()
	out, errs, code := p.run(t, "--config.file="+p.config, "once", dir)
	if code != 0 {
		t.Fatalf("once: exit code %d: %s", code, errs)
	}
	return out
}

// waitForTotals waits until the daemon exposes the totals.
func (d *process) waitForTotals(want reference.Totals, h *counterChecker, o reference.Options) {
	d.t.Helper()
	if want.NonZero() < 20 {
		d.t.Fatalf("got few totals to compare: %v", want)
	}
	var differences reference.Differences
	defer func() {
		for _, difference := range differences {
			d.t.Error(difference)
		}
	}()
	polltest.Eventually(d.t, "the totals are equal", func() bool {
		body := d.page("/metrics")
		h.check(d.t, parse(d.t, body, plainText))
		differences = reference.Diff(want, shown(d.t, body), o)
		return len(differences) == 0
	})
}

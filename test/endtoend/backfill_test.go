//go:build endtoend

package endtoend

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/reference"
)

// wholePast is the range of queries for all days.
const wholePast = "[45d]"

// Every server has the days before its first scrape, exactly, and live values continue
// them without a reset.
func TestBackfill(t *testing.T) {
	t.Parallel()
	program := Daemon(t)
	p := newPast(t, program)
	mimir := NewMimir(t, "team")
	daemon := NewDaemon(t, program, fmt.Sprintf(`
sources: [{path: %q, labels: {user: somebody, host: here}}]
intervals: {message_timeout: 1s, zero_window: %s}
remote_write: [{name: mimir, url: %q, interval: 2s, headers: {%s: team}, labels: {instance: pushing}}]
`, filepath.Join(p.dir, "projects"), twoScrapes, mimir.URL()+"/api/v1/push", TenantHeader))
	const keep = "--storage.tsdb.retention.time=1y"
	present := NewPrometheus(t, "Prometheus 3", Prometheus, scrapeConfig(daemon), keep, "--enable-feature=created-timestamp-zero-ingestion")
	old := NewPrometheus(t, "Prometheus 2", OldPrometheus, scrapeConfig(daemon), keep)
	receiving := NewPrometheus(t, "Prometheus 3 with a receiver", Prometheus, scrapeConfig(daemon)+"storage: {tsdb: {out_of_order_time_window: 60d}}\n", keep, "--web.enable-remote-write-receiver")
	victoria := NewVictoriaMetrics(t, scrapeConfig(daemon), "-retentionPeriod=1y",
		"-search.disableCache") // its cache does not know samples that arrive later
	mimir.Start(t)
	daemon.Start(t)
	all := []*Server{receiving, victoria}
	upToDateAll := func(what string) {
		awaitSettled(t, what, daemon, func(numbers map[string]float64) (err error) {
			for _, s := range all {
				err = errors.Join(err, upToDate(t, s, numbers))
			}
			return errors.Join(err, hasNumbers(t, mimir, numbers))
		})
	}
	for _, s := range all {
		s.Start(t)
	}
	upToDateAll("servers scrape before the backfill")

	// Sessions of a past day that were read after the first scrape are live values.
	_, before := scrape(t, daemon)
	p.write(t, 20, p.author.Session(p.time(20, 18)))
	read := p.awaitTotals(t, daemon)

	backfill(t, program, daemon, "--to="+receiving.URL()+"/api/v1/write", "--idle=2h")
	backfill(t, program, daemon, "--to="+victoria.URL()+"/api/v1/write", "--step=15m")
	backfill(t, program, daemon, "--to=mimir", "--config.file=ccwatchd.yml", "--idle=2h")
	for s, options := range map[*Server][]string{present: {"--step=3h", "--idle=0s"}, old: nil} {
		backfill(t, program, daemon, append(options, "--output="+filepath.Join(s.Dir, "history.om"))...)
		createBlocks(t, s)
		s.Start(t)
		all = append(all, s)
	}
	upToDateAll("all servers scrape")
	p.writeNow(t)
	numbers := p.awaitTotals(t, daemon)
	upToDateAll("all servers are up to date in the end")

	for _, s := range append(all, mimir) {
		t.Run(s.Name, func(t *testing.T) {
			checkDays(t, s, p)
			checkResets(t, s, counterNames(), wholePast)
			// A server that starts later has not scraped the 0 of a series that began live.
			late := s == present || s == old
			checkIncreases(t, s, numbers, func(name string) bool { return late && before[name] == 0 && read[name] > 0 })
			if s == present || s == victoria { // without --idle
				checkExactDays(t, s, p)
			}
			if s != present { // its step is too long
				checkPastExpressions(t, s, p, s != receiving && s != mimir)
			}
		})
	}
}

// writeNow writes sessions that happen now.
func (p *past) writeNow(t *testing.T) {
	t.Helper()
	const speed = 10_000
	now := time.Now()
	author := corpus.NewWriter(8, 3, now, speed)
	for range 3 {
		for _, line := range author.Session(now) {
			(&past{dir: p.dir, begin: now.Truncate(day)}).write(t, 0, []corpus.Line{line})
		}
	}
}

// awaitTotals waits until the daemon has counted all sessions, and returns its numbers.
func (p *past) awaitTotals(t *testing.T, daemon *Server) map[string]float64 {
	t.Helper()
	want := p.truth(t)
	return awaitSettled(t, "the daemon has counted all sessions", daemon, func(map[string]float64) error {
		text, _ := scrape(t, daemon)
		got, err := reference.ParseExposition(strings.NewReader(text))
		if err != nil {
			return err
		}
		return reference.Diff(want, dated(got), reference.Options{}).Err()
	})
}

// backfill runs the command with the history of a daemon, and logs its output.
func backfill(t *testing.T, program string, daemon *Server, args ...string) {
	t.Helper()
	start := time.Now()
	out := backfillOutput(t, program, daemon, args...)
	t.Logf("backfill %v took %v\n%s", args, time.Since(start).Round(time.Millisecond), out)
}

// backfillOutput runs the command with the history of a daemon, and returns its output.
func backfillOutput(t *testing.T, program string, daemon *Server, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, append([]string{"backfill", "--url=" + daemon.URL()}, args...)...)
	cmd.Dir = daemon.Dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("backfill %v: %v\n%s", args, err, out)
	}
	return out
}

// createBlocks creates the blocks of a Prometheus that does not run from its file of
// the history.
func createBlocks(t *testing.T, s *Server) {
	t.Helper()
	tool := filepath.Join(filepath.Dir(s.Program), "promtool")
	cmd := exec.CommandContext(t.Context(), tool, "tsdb", "create-blocks-from", "openmetrics", "--quiet", "--max-block-duration=720h", "history.om", "data")
	cmd.Dir = s.Dir
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("create blocks of %s: %v\n%s", s.Name, err, out)
	}
	t.Logf("creating the blocks of %s took %v", s.Name, time.Since(start).Round(time.Millisecond))
}

// datedNames returns the names of Claude Code's counters that have a past.
func datedNames() []string {
	return slices.DeleteFunc(counterNames(), func(name string) bool {
		// Claude Code writes no time into cost-state lines.
		return !strings.HasPrefix(name, "claude_") || strings.HasPrefix(name, "claude_reported_") || strings.HasSuffix(name, "_bucket")
	})
}

// checkDays checks the totals at the end of each day.
func checkDays(t *testing.T, s *Server, p *past) {
	t.Helper()
	for n, want := range p.totals {
		// Gauges have no past in a server.
		maps.DeleteFunc(want, func(key reference.Key, _ int64) bool { return key.Metric == "unpriced_tokens" })
		got := totalsAt(t, s, p.time(n+1, 0))
		if d := reference.Diff(want, got, reference.Options{}); len(d) > 0 {
			t.Errorf("at the end of day %d: %v", n, d.Err())
		}
	}
}

// totalsAt returns the totals of the counters with a past at a time.
func totalsAt(t *testing.T, s *Server, at time.Time) reference.Totals {
	t.Helper()
	series, err := s.Query(t.Context(), `last_over_time({__name__=~"`+strings.Join(datedNames(), "|")+`"}`+wholePast+`)`, at)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range ledger.Families(ledger.Options{}) {
		kind := "counter"
		if f.Type == counters.Histogram {
			kind = "histogram"
		}
		fmt.Fprintf(&text, "# TYPE %s %s\n", f.Name, kind)
		for _, ts := range series {
			if name := ts.Labels["__name__"]; name == f.Name || f.Type == counters.Histogram && (name == f.Name+"_sum" || name == f.Name+"_count") {
				fmt.Fprintf(&text, "%s %v\n", seriesName(ts.Labels), ts.Samples[0].Value)
			}
		}
	}
	totals, err := reference.ParseExposition(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return totals
}

// checkIncreases checks that over the whole time every series has increased by its
// value: it began at zero. Prometheus's increase extrapolates to the ends of the range.
// Sessions may end between the scrape and the query, so their increase may be larger.
func checkIncreases(t *testing.T, s *Server, numbers map[string]float64, leaveOut func(series string) bool) {
	t.Helper()
	n := 0
	for _, name := range datedNames() {
		for _, ts := range query(t, s, "last_over_time("+name+wholePast+") - min_over_time("+name+wholePast+")") {
			ts.Labels["__name__"] = name
			if leaveOut(seriesName(ts.Labels)) {
				continue
			}
			n++
			want, got := numbers[seriesName(ts.Labels)], ts.Samples[0].Value
			if isSession := strings.HasPrefix(name, "claude_session_"); !equal(got, want) && !(isSession && got > want) {
				t.Errorf("%s: got an increase of %v, want %v", seriesName(ts.Labels), got, want)
			}
		}
	}
	if n < 100 {
		t.Errorf("got %d series", n)
	}
}

// checkExactDays checks that the increase over a day is exact, without extrapolation.
func checkExactDays(t *testing.T, s *Server, p *past) {
	t.Helper()
	total := func(expr string, at time.Time) float64 {
		series, err := s.Query(t.Context(), "sum("+expr+")", at)
		if err != nil || len(series) != 1 {
			t.Fatalf("%s at %v: got %v, %v", expr, at, series, err)
		}
		return series[0].Samples[0].Value
	}
	for n := 1; n < pastDays; n++ {
		begin, end := p.time(n, 0), p.time(n+1, 0)
		want := total("claude_tokens_total", end) - total("claude_tokens_total", begin)
		if got := total("increase(claude_tokens_total[1d])", end); math.Abs(got-want) > 1e-6*want {
			t.Errorf("day %d: got an increase of %v, want %v", n, got, want)
		}
	}
}

// Grafana's range and variables for some hours of the past, see substitute.
const (
	pastRange = 6 * time.Hour
	pastStep  = 15 * time.Minute
)

var pastVariables = strings.NewReplacer(
	"$__range", "6h", "$__rate_interval", "30m", "$__interval", "15m",
	" offset 1d", " offset 3h", " offset 7d", " offset 3h", " offset 30d", " offset 3h",
	"$job", ".+", "$instance", ".+", "$user", ".*", "$project", ".*", "$model", ".*", "$host", ".*", "$plan_price", "100",
)

var metricName = regexp.MustCompile(`\b(?:claude|ccwatchd|process|go|up|scrape)(?:_\w+)?\b`)

// checkPastExpressions evaluates the expressions of the dashboards at the busy day.
// Only expressions with gauges or buckets have no result. withLabels may be false
// because Prometheus and Mimir find the labels of out-of-order samples only after
// compaction.
func checkPastExpressions(t *testing.T, s *Server, p *past, withLabels bool) {
	t.Helper()
	end := p.time(busyDay, busyHour+4)
	recorded, err := s.Query(t.Context(), `count by (__name__) (last_over_time({__name__=~".+"}[6h]))`, end)
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, ts := range recorded {
		known[ts.Labels["__name__"]] = true
	}
	n := 0
	for _, e := range dashboardExpressions(t, pastVariables) {
		live := slices.ContainsFunc(metricName.FindAllString(e.expr, -1), func(name string) bool { return !known[name] })
		few := strings.Contains(e.expr, ">= 10") // events
		if live || few || e.mayBeEmpty || e.label != "" && !withLabels {
			continue
		}
		n++
		if results, err := e.evaluateAt(t, s, end, pastRange, pastStep); err != nil || results == 0 {
			t.Errorf("%s: got %d results, %v: %s", e.source, results, err, e.expr)
		}
	}
	if n < 30 {
		t.Errorf("got %d expressions of the past", n)
	}
}

//go:build endtoend

package endtoend

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scrapeConfig returns a configuration that scrapes the daemon every two seconds.
func scrapeConfig(daemon *Server) string {
	return fmt.Sprintf(`
global: {scrape_interval: 2s, scrape_timeout: 2s}
scrape_configs:
  - job_name: ccwatchd
    static_configs: [{targets: [%q]}]
`, daemon.Address)
}

// daemonConfig returns a configuration with short timeouts, so that sessions end soon.
func daemonConfig(w *workload, messageTimeout, zeroWindow string) string {
	return fmt.Sprintf("sources: [{path: %q, labels: {user: somebody}}]\nintervals: {message_timeout: %s, session_active: 5s, zero_window: %s}\n", w.projects(), messageTimeout, zeroWindow)
}

// twoScrapes is long enough for two scrapes, and shorter than a restart of a server.
const twoScrapes = "5s"

// Four servers scrape the same counters, although the daemon and two of them are
// killed.
func TestScrapes(t *testing.T) {
	t.Parallel()
	w := newWorkload(t, 1, 30*time.Second)
	daemon := NewDaemon(t, Daemon(t), daemonConfig(w, "24h", twoScrapes))
	created := NewPrometheus(t, "Prometheus 3 with created timestamps", Prometheus, scrapeConfig(daemon), "--enable-feature=created-timestamp-zero-ingestion")
	text := NewPrometheus(t, "Prometheus 3", Prometheus, scrapeConfig(daemon))
	old := NewPrometheus(t, "Prometheus 2", OldPrometheus, scrapeConfig(daemon))
	victoria := NewVictoriaMetrics(t, scrapeConfig(daemon))
	servers := []*Server{created, text, old, victoria}
	daemon.Start(t)
	for _, s := range servers {
		s.Restart(t)
	}
	all := func(what string) map[string]float64 {
		return awaitSettled(t, what, daemon, func(numbers map[string]float64) (err error) {
			for _, s := range servers {
				err = errors.Join(err, upToDate(t, s, numbers))
			}
			return err
		})
	}

	for _, s := range servers {
		Eventually(t, s.Name+" scrapes regularly", func() error {
			if n := query(t, s, "count_over_time(up"+lookback+") >= 3"); len(n) == 0 {
				return errors.New("fewer than three scrapes")
			}
			return nil
		})
	}
	w.begin()
	w.write(t, .3)
	// A series that no server has scraped before a restart has its value after it.
	all("all servers are up to date before the kill")
	daemon.Kill(t)
	w.write(t, .4)
	daemon.Start(t)
	w.write(t, .55)
	// This server misses new series, but gets their created timestamps.
	created.Kill(t)
	w.write(t, .7)
	created.Start(t)
	w.write(t, .8)
	// This server has no created timestamps, so no series may begin while it is down.
	all("all servers are up to date in the middle")
	text.Kill(t)
	text.Start(t)
	all("all servers are up to date after the restart")
	w.write(t, 1)
	daemon.Write(t, "ccwatchd.yml", daemonConfig(w, "1s", twoScrapes))
	daemon.Signal(t, syscall.SIGHUP)
	w.awaitTotals(t, daemon)
	numbers := all("all servers are up to date in the end")

	for _, s := range servers {
		t.Run(s.Name, func(t *testing.T) {
			checkHistory(t, s, numbers)
			checkOther(t, s, daemon)
		})
	}
	checkCreated(t, created, text)
}

// checkGrowth checks that a series begins at zero and never falls.
func checkGrowth(t *testing.T, ts Series) {
	t.Helper()
	if first := ts.Samples[0].Value; first != 0 {
		t.Errorf("%s begins at %g, want 0", seriesName(ts.Labels), first)
	}
	checkRises(t, ts)
}

// checkRises checks that a series never falls. VictoriaMetrics keeps 15 digits, so a
// value that is equal but for their rounding has not fallen.
func checkRises(t *testing.T, ts Series) {
	t.Helper()
	name, last := seriesName(ts.Labels), 0.
	for i, v := range ts.Samples {
		if v.Value < last && !equal(v.Value, last) {
			t.Errorf("%s falls from %g to %g at sample %d of %d", name, last, v.Value, i, len(ts.Samples))
		}
		last = v.Value
	}
}

// lookback is the range of all queries for a history.
const lookback = "[10m]"

// checkHistory checks that every series begins at zero, never falls, and ends at the
// value of the daemon: then its increase is correct.
func checkHistory(t *testing.T, s *Server, numbers map[string]float64) {
	t.Helper()
	series, err := s.Query(t.Context(), counterSelector()+lookback, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := compareNumbers(numbers, lastValues(series)); err != nil {
		t.Error(err)
	}
	for _, ts := range series {
		checkGrowth(t, ts)
	}
	checkResets(t, s, counterNames(), lookback)
}

// checkResets checks that no series with one of the names has fallen in a range.
func checkResets(t *testing.T, s *Server, names []string, lookback string) {
	t.Helper()
	for _, name := range names {
		for _, ts := range query(t, s, "resets("+name+lookback+") > 0") {
			t.Errorf("%s%s: got %g resets", name, seriesName(ts.Labels), ts.Samples[0].Value)
		}
	}
}

// checkOther checks series that are not counters.
func checkOther(t *testing.T, s, daemon *Server) {
	t.Helper()
	for _, ts := range query(t, s, `{__name__=~".+_created"}`+lookback) {
		t.Errorf("unexpected series %s", seriesName(ts.Labels))
	}
	checkSessions(t, s)
	if up := query(t, s, "up"); len(up) != 1 || up[0].Samples[0].Value != 1 {
		t.Errorf("got up %v, want 1", up)
	}
	text, _ := scrape(t, daemon)
	samples := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			samples++
		}
	}
	if got := query(t, s, "scrape_samples_scraped"); len(got) != 1 || got[0].Samples[0].Value != float64(samples) {
		t.Errorf("got scrape_samples_scraped %v, want %d", got, samples)
	}
}

// checkSessions checks that ended sessions are gone. If a session ended while the
// server was down, the server keeps it for some minutes.
func checkSessions(t *testing.T, s *Server) {
	t.Helper()
	ended := make(map[string]bool)
	for _, ts := range query(t, s, "claude_session_context_tokens"+lookback) {
		ended[seriesName(ts.Labels)] = ts.Samples[len(ts.Samples)-1].At.After(s.Started)
	}
	if len(ended) == 0 {
		t.Error("got no session")
	}
	Eventually(t, "ended sessions are gone", func() error {
		for _, left := range query(t, s, "claude_session_context_tokens") {
			if name := seriesName(left.Labels); ended[name] {
				return fmt.Errorf("%s remains", name)
			}
		}
		return nil
	})
}

// checkCreated checks that one server has zeros from created timestamps, at other times
// than scrapes, and that the other server has no such zeros.
func checkCreated(t *testing.T, with, without *Server) {
	t.Helper()
	for _, s := range []*Server{with, without} {
		scrapes := make(map[int64]bool)
		for _, ts := range query(t, s, "up"+lookback) {
			for _, v := range ts.Samples {
				scrapes[v.At.UnixMilli()] = true
			}
		}
		zeros := 0
		for _, ts := range query(t, s, counterSelector()+lookback) {
			for _, v := range ts.Samples {
				if v.Value == 0 && !scrapes[v.At.UnixMilli()] {
					zeros++
				}
			}
		}
		if (zeros > 0) != (s == with) {
			t.Errorf("%s: got %d zeros from created timestamps", s.Name, zeros)
		}
	}
}

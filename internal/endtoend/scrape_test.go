//go:build endtoend

package endtoend

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/reference"
)

// scrapeConfig has a server scrape the daemon, every two seconds.
func scrapeConfig(daemon *Server) string {
	return fmt.Sprintf(`
global: {scrape_interval: 2s, scrape_timeout: 2s}
scrape_configs:
  - job_name: ccwatchd
    static_configs: [{targets: [%q]}]
`, daemon.Address)
}

// follow is a configuration of the daemon. What waits is counted after settle, and a
// session that ends is gone soon. A new series is exposed as 0 for zero.
func follow(w *workload, settle, zero string) string {
	return fmt.Sprintf("sources: [{path: %q, labels: {user: somebody}}]\nintervals: {message_timeout: %s, session_active: 5s, zero_window: %s}\n", w.projects(), settle, zero)
}

// someScrapes is long enough for two scrapes, and shorter than a server takes that is
// killed and started again.
const someScrapes = "5s"

// Four servers see all of what happens, and the same, over a death of either side.
func TestScrapes(t *testing.T) {
	t.Parallel()
	w := newWorkload(t, 1, 30*time.Second)
	daemon := NewDaemon(t, Daemon(t), follow(w, "24h", someScrapes))
	created := NewPrometheus(t, "Prometheus 3 with created timestamps", Prometheus, scrapeConfig(daemon), "--enable-feature=created-timestamp-zero-ingestion")
	text := NewPrometheus(t, "Prometheus 3", Prometheus, scrapeConfig(daemon))
	old := NewPrometheus(t, "Prometheus 2", OldPrometheus, scrapeConfig(daemon))
	victoria := NewVictoriaMetrics(t, scrapeConfig(daemon))
	servers := []*Server{created, text, old, victoria}
	daemon.Start(t)
	for _, s := range servers {
		s.Start(t)
	}
	all := func(what string) map[string]float64 {
		return settled(t, what, daemon, func(numbers map[string]float64) (err error) {
			for _, s := range servers {
				err = errors.Join(err, behind(t, s, numbers))
			}
			return err
		})
	}

	for _, s := range servers {
		Eventually(t, "it scrapes regularly", func() error {
			if n := ask(t, s, "count_over_time(up"+everything+") >= 3"); len(n) == 0 {
				return errors.New("it has not scraped three times")
			}
			return nil
		})
	}
	w.begin()
	w.write(t, .3)
	daemon.Kill(t)
	w.write(t, .4)
	daemon.Start(t)
	w.write(t, .55)
	// This one misses that series begin, and has their created timestamps for it.
	created.Kill(t)
	w.write(t, .7)
	created.Start(t)
	w.write(t, .8)
	// This one has none, so that nothing may begin meanwhile.
	all("everybody has seen the middle")
	text.Kill(t)
	text.Start(t)
	all("everybody is there again")
	w.write(t, 1)
	daemon.Write(t, "ccwatchd.yml", follow(w, "1s", someScrapes))
	daemon.Signal(t, syscall.SIGHUP)
	Eventually(t, "the totals are the true ones", func() error {
		page, _ := shown(t, daemon)
		differences, err := reference.Compare(strings.NewReader(w.expected(t)), strings.NewReader(page), reference.Options{})
		if len(differences) > 0 {
			err = fmt.Errorf("%v, and %d more", differences[0], len(differences)-1)
		}
		return err
	})
	numbers := all("everybody has seen the end")

	for _, s := range servers {
		t.Run(s.Name, func(t *testing.T) {
			checkHistory(t, s, numbers)
			checkRest(t, s, daemon)
		})
	}
	checkCreated(t, created, text)
}

// checkGrowth checks that a series begins at zero and never falls.
func checkGrowth(t *testing.T, one Series) {
	t.Helper()
	name, last := nameOf(one.Labels), 0.
	if first := one.Samples[0].Value; first != 0 {
		t.Errorf("%sbegins at %g", name, first)
	}
	for i, v := range one.Samples {
		if v.Value < last {
			t.Errorf("%sfalls from %g to %g, at sample %d of %d", name, last, v.Value, i, len(one.Samples))
		}
		last = v.Value
	}
}

// everything is how far back a test asks.
const everything = "[10m]"

// checkHistory checks that every series begins at zero, never falls, and ends
// where the daemon is: so it has increased by all that there was.
func checkHistory(t *testing.T, s *Server, numbers map[string]float64) {
	t.Helper()
	series, err := s.Query(t.Context(), kept()+everything, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if len(series) != len(numbers) {
		t.Errorf("it has %d series, the daemon shows %d", len(series), len(numbers))
	}
	for _, one := range series {
		checkGrowth(t, one)
		name, last := nameOf(one.Labels), one.Samples[len(one.Samples)-1].Value
		if !equal(last, numbers[name]) {
			t.Errorf("%sends at %g, the daemon shows %g", name, last, numbers[name])
		}
	}
	for _, name := range keptNames() {
		for _, one := range ask(t, s, "resets("+name+everything+") > 0") {
			t.Errorf("%s{%s} is reset %g times", name, nameOf(one.Labels), one.Samples[0].Value)
		}
	}
}

// checkRest checks what else a server has.
func checkRest(t *testing.T, s, daemon *Server) {
	t.Helper()
	for _, one := range ask(t, s, `{__name__=~".+_created"}`+everything) {
		t.Errorf("there is %s", nameOf(one.Labels))
	}
	checkSessions(t, s)
	if up := ask(t, s, "up"); len(up) != 1 || up[0].Samples[0].Value != 1 {
		t.Errorf("up is %v", up)
	}
	page, _ := shown(t, daemon)
	samples := 0
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "#") {
			samples++
		}
	}
	if got := ask(t, s, "scrape_samples_scraped"); len(got) != 1 || got[0].Samples[0].Value != float64(samples) {
		t.Errorf("scrape_samples_scraped is %v, and there are %d", got, samples)
	}
}

// checkSessions checks that sessions that have ended are not there any more. Of one that
// has ended while it was down a server cannot know before some minutes are over.
func checkSessions(t *testing.T, s *Server) {
	t.Helper()
	ended := make(map[string]bool)
	for _, one := range ask(t, s, "claude_session_context_tokens"+everything) {
		ended[nameOf(one.Labels)] = one.Samples[len(one.Samples)-1].At.After(s.Started)
	}
	if len(ended) == 0 {
		t.Error("no session was shown")
	}
	Eventually(t, "sessions that have ended are gone", func() error {
		for _, left := range ask(t, s, "claude_session_context_tokens") {
			if name := nameOf(left.Labels); ended[name] {
				return fmt.Errorf("there is %s", name)
			}
		}
		return nil
	})
}

// checkCreated checks that one server has taken created timestamps for the zeros
// that they stand for, which come at no scrape, and that the other has none.
func checkCreated(t *testing.T, with, without *Server) {
	t.Helper()
	for _, s := range []*Server{with, without} {
		scrapes := make(map[int64]bool)
		for _, one := range ask(t, s, "up"+everything) {
			for _, v := range one.Samples {
				scrapes[v.At.UnixMilli()] = true
			}
		}
		zeros := 0
		for _, one := range ask(t, s, kept()+everything) {
			for _, v := range one.Samples {
				if v.Value == 0 && !scrapes[v.At.UnixMilli()] {
					zeros++
				}
			}
		}
		if (zeros > 0) != (s == with) {
			t.Errorf("%s has %d zeros from created timestamps", s.Name, zeros)
		}
	}
}

// ask evaluates an expression now.
func ask(t *testing.T, s *Server, expr string) []Series {
	t.Helper()
	series, err := s.Query(t.Context(), expr, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return series
}

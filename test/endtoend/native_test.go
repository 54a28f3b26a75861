//go:build endtoend

package endtoend

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// A callLog writes tool calls with known durations into a transcript.
type callLog struct {
	dir       transcripttest.Dir
	session   transcripttest.Session
	durations []float64 // in seconds
}

func (c *callLog) write(n int) {
	for range n {
		i := len(c.durations)
		id, seconds := "toolu_native"+strconv.Itoa(i), 1+i*i%1999
		c.session.Reply(transcripttest.Reply{ID: "msg_native" + strconv.Itoa(i), Stop: "tool_use", Calls: []transcripttest.Call{{ID: id, Name: "Bash"}}})
		c.session.Seconds += seconds - 1
		c.session.Result(id, "done", false)
		c.durations = append(c.durations, float64(seconds))
	}
	c.dir.Append("projects/p/native.jsonl", c.session.Take())
}

// quantile returns the exact quantile of the durations.
func (c *callLog) quantile(q float64) float64 {
	sorted := slices.Sorted(slices.Values(c.durations))
	return sorted[int(math.Ceil(q*float64(len(sorted))))-1]
}

// Prometheus ingests native histograms: they begin at zero and do not fall when the
// daemon is killed, and their quantiles are right within a bucket.
func TestNativeHistograms(t *testing.T) {
	t.Parallel()
	calls := &callLog{dir: transcripttest.Dir{TB: t, Root: t.TempDir()}, session: transcripttest.Session{ID: "native", CWD: "/home/dev/native"}}
	calls.session.Prompt("begin")
	calls.dir.Append("projects/p/native.jsonl", calls.session.Take())
	daemon := NewDaemon(t, Daemon(t), fmt.Sprintf("sources: [{path: %q}]\nintervals: {zero_window: %s}\n", calls.dir.Root+"/projects", twoScrapes))
	both := NewPrometheus(t, "Prometheus 3", Prometheus,
		scrapeConfig(daemon)+"    scrape_native_histograms: true\n    always_scrape_classic_histograms: true\n")
	old := NewPrometheus(t, "Prometheus 2", OldPrometheus, scrapeConfig(daemon), "--enable-feature=native-histograms")
	servers := []*Server{both, old}
	daemon.Start(t)
	for _, s := range servers {
		s.Start(t)
	}
	const count = `histogram_count(claude_tool_duration_seconds{tool="Bash"})`
	await := func() {
		t.Helper()
		for _, s := range servers {
			Eventually(t, s.Name+" has all calls", func() error {
				if n := query(t, s, count); len(n) != 1 || int(n[0].Samples[0].Value) != len(calls.durations) {
					return fmt.Errorf("got %v, want %d", n, len(calls.durations))
				}
				return nil
			})
		}
	}
	for _, s := range servers {
		Eventually(t, s.Name+" scrapes", func() error {
			if len(query(t, s, "up == 1")) == 0 {
				return errors.New("no scrape")
			}
			return nil
		})
	}
	calls.write(100)
	await()
	daemon.Kill(t)
	daemon.Start(t)
	calls.write(200)
	await()

	for _, s := range servers {
		t.Run(s.Name, func(t *testing.T) { checkNative(t, s, calls, count) })
	}
	classic := query(t, both, `claude_tool_duration_seconds_bucket{tool="Bash", le="+Inf"}`)
	if len(classic) != 1 || int(classic[0].Samples[0].Value) != len(calls.durations) {
		t.Errorf("got classic buckets %v, want %d", classic, len(calls.durations))
	}
}

func checkNative(t *testing.T, s *Server, calls *callLog, count string) {
	t.Helper()
	for _, q := range []float64{.05, .5, .9, .99} {
		got := query(t, s, fmt.Sprintf(`histogram_quantile(%g, claude_tool_duration_seconds{tool="Bash"})`, q))
		want, factor := calls.quantile(q), math.Exp2(1./8)
		if len(got) != 1 || got[0].Samples[0].Value < want/factor || got[0].Samples[0].Value > want*factor {
			t.Errorf("quantile %g: got %v, want %g within %g", q, got, want, factor)
		}
	}
	if got := query(t, s, `resets(claude_tool_duration_seconds{tool="Bash"}[10m])`); len(got) != 1 || got[0].Samples[0].Value != 0 {
		t.Errorf("got %v resets, want none", got)
	}
	now := time.Now()
	counts, err := s.QueryRange(t.Context(), count, now.Add(-10*time.Minute), now, time.Second)
	if err != nil || len(counts) != 1 || counts[0].Samples[0].Value != 0 {
		t.Errorf("got %v, %v, want counts that begin with 0", counts, err)
	}
}

package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// TestLatency measures the time between the write of a line and its count, against the
// documented limits:
//
//	CCWATCHD_MEASURE=1 go test -run TestLatency -v ./cmd/ccwatchd
//
// It scrapes without a pause, so the latencies of /metrics include a scrape.
func TestLatency(t *testing.T) {
	measured(t)
	const poll = 200 * time.Millisecond
	for _, test := range []struct {
		name, limits string
		limit        time.Duration // for the median
		lines        int
		every        time.Duration // maximum random pause
	}{
		{"with events", "{}", 10 * time.Millisecond, 500, 20 * time.Millisecond},
		{"without", "{watches: 0}", poll, 200, poll},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newSandbox(t)
			p.configure(t, fmt.Sprintf("limits: %s\nintervals: {poll: %v}\n", test.limits, poll))
			d := p.start(t).ready()
			checkLatencies(t, "/metrics", latencies(t, p, d.requests, test.lines, test.every), test.limit)
			d.stop()

			checkLatencies(t, "Snapshot", latencies(t, p, p.inProcess(t), test.lines, test.every), test.limit)
		})
	}
}

// measured skips a measurement unless it is enabled.
func measured(t *testing.T) {
	t.Helper()
	if os.Getenv("CCWATCHD_MEASURE") == "" {
		t.Skip("takes minutes: set CCWATCHD_MEASURE=1")
	}
}

// latencies appends lines to a session and returns the time until each is in the number
// of requests that count returns.
func latencies(t testing.TB, p sandbox, count func() float64, n int, every time.Duration) []time.Duration {
	t.Helper()
	s := script{cwd: "/home/dev/latency", session: uuid(rand.IntN(1 << 20)), at: time.Now()}
	path := filepath.Join(p.projects(), "-home-dev-latency", s.session+".jsonl")
	all := make([]time.Duration, 0, n)
	reached := func(want float64) func() bool { return func() bool { return count() >= want } }
	// The first scrape of a series has no sample yet.
	before := count()
	appendFile(t, path, s.call(s.session+"first", "Bash"))
	polltest.Eventually(t, "the series is exposed", reached(before+1))
	before++
	for i := range n {
		rest(rand.N(every))
		appendFile(t, path, s.call(fmt.Sprint(s.session, i), "Bash"))
		written, is := time.Now(), reached(before+float64(i)+1)
		for !is() {
			if time.Since(written) > timeout {
				t.Fatalf("line %d is not counted", i)
			}
		}
		all = append(all, time.Since(written))
	}
	return all
}

// checkLatencies logs latencies and checks their median against a limit.
func checkLatencies(t testing.TB, where string, all []time.Duration, limit time.Duration) {
	t.Helper()
	slices.Sort(all)
	median := all[len(all)/2]
	t.Logf("to %s: median %v, p99 %v, max %v", where, median, all[len(all)*99/100], all[len(all)-1])
	if median >= limit {
		t.Errorf("to %s: got median %v, want less than %v", where, median, limit)
	}
}

// requests returns the number of requests in a scrape.
func (d *process) requests() float64 {
	n, _ := d.sum("claude_requests_total")
	return n
}

// inProcess runs a daemon without a server and returns a function that counts its
// requests.
func (p sandbox) inProcess(t *testing.T) func() float64 {
	t.Helper()
	c := newCommand(p.getenv)
	c.configFile = p.config
	d, err := daemon.New(daemon.Options{
		StateDir: p.state, Logger: slog.New(slog.DiscardHandler), Metrics: metrics.NewDaemon(prometheus.NewRegistry()),
		Load: func() (daemon.Settings, error) { return c.settings(slog.New(slog.DiscardHandler)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- d.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ran; err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	polltest.Eventually(t, "the daemon is ready", d.Ready)
	var snapshot ledger.Snapshot
	return func() (n float64) {
		d.SnapshotInto(&snapshot)
		for _, f := range snapshot.Families {
			for _, s := range f.Samples {
				if f.Family.Name == "claude_requests_total" {
					n += float64(s.Value)
				}
			}
		}
		return n
	}
}

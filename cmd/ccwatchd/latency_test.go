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
	"github.com/prometheus/common/promslog"

	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
)

// TestLatency measures the time from a line having been written to its being
// counted, and fails where that is more than is promised:
//
//	CCWATCHD_MEASURE=1 go test -run TestLatency -v ./cmd/ccwatchd
//
// It asks as fast as it can, so the time of a scrape is in the figures of
// /metrics.
func TestLatency(t *testing.T) {
	measured(t)
	const poll = 200 * time.Millisecond
	for _, test := range []struct {
		name, limits string
		promise      time.Duration // for the median
		lines        int
		every        time.Duration // how far they are apart, at random
	}{
		{"with events", "{}", 10 * time.Millisecond, 500, 20 * time.Millisecond},
		{"without", "{watches: 0}", poll, 200, poll},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			p.configure(t, fmt.Sprintf("limits: %s\nintervals: {poll: %v}\n", test.limits, poll))
			d := p.start(t).ready()
			told(t, "/metrics", latencies(t, p, d.requests, test.lines, test.every), test.promise)
			d.stop()

			told(t, "Snapshot", latencies(t, p, p.inProcess(t), test.lines, test.every), test.promise)
		})
	}
}

// measured skips what only measures unless that is asked for.
func measured(t *testing.T) {
	t.Helper()
	if os.Getenv("CCWATCHD_MEASURE") == "" {
		t.Skip("takes minutes: set CCWATCHD_MEASURE=1")
	}
}

// latencies appends lines to a session, and measures the time until each is in
// the number of requests that count returns.
func latencies(t testing.TB, p place, count func() float64, n int, every time.Duration) []time.Duration {
	t.Helper()
	s := script{cwd: "/home/dev/latency", session: uuid(rand.IntN(1 << 20)), at: time.Now()}
	path := filepath.Join(p.projects(), "-home-dev-latency", s.session+".jsonl")
	all := make([]time.Duration, 0, n)
	reached := func(want float64) func() bool { return func() bool { return count() >= want } }
	// The first scrape of a series shows nothing yet.
	before := count()
	if err := appendTo(path, []byte(s.call(s.session+"first", "Bash"))); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the series is shown", reached(before+1))
	before++
	for i := range n {
		rest(rand.N(every))
		line := []byte(s.call(fmt.Sprint(s.session, i), "Bash"))
		if err := appendTo(path, line); err != nil {
			t.Fatal(err)
		}
		written, is := time.Now(), reached(before+float64(i)+1)
		for !is() {
			if time.Since(written) > patience {
				t.Fatalf("line %d is not counted", i)
			}
		}
		all = append(all, time.Since(written))
	}
	return all
}

// told logs latencies and holds their median against a promise.
func told(t testing.TB, where string, all []time.Duration, promise time.Duration) {
	t.Helper()
	slices.Sort(all)
	median := all[len(all)/2]
	t.Logf("to %s: median %v, p99 %v, longest %v", where, median, all[len(all)*99/100], all[len(all)-1])
	if median >= promise {
		t.Errorf("to %s: median %v, promised is less than %v", where, median, promise)
	}
}

// requests is how many requests a scrape shows.
func (d *process) requests() float64 {
	n, _ := d.sum("claude_requests_total")
	return n
}

// inProcess runs a daemon without a server and returns what counts its requests.
func (p place) inProcess(t *testing.T) func() float64 {
	t.Helper()
	env := func(name string) string {
		if name == "HOME" || name == "USERPROFILE" {
			return p.home
		}
		return ""
	}
	c := newCommand(env)
	c.configFile = p.config
	log := promslog.NewNopLogger()
	d, err := daemon.New(daemon.Options{
		StateDir: p.state, Logger: log, Metrics: metrics.NewDaemon(prometheus.NewRegistry()),
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
	eventually(t, "the daemon is ready", d.Ready)
	var snapshot ledger.Snapshot
	return func() (n float64) {
		d.SnapshotInto(&snapshot)
		for _, f := range snapshot.Families {
			if f.Family.Name != "claude_requests_total" {
				continue
			}
			for _, s := range f.Samples {
				n += float64(s.Value)
			}
		}
		return n
	}
}

//go:build endtoend

package endtoend

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A faultMode determines how a proxy handles requests.
type faultMode int32

const (
	healthy faultMode = iota
	unavailable
	throttling
	slow
	hanging
)

// A flakyProxy forwards requests to a server unless it simulates a fault.
type flakyProxy struct {
	mode     atomic.Int32
	address  string
	server   *http.Server
	handler  http.Handler
	requests [hanging + 1]atomic.Int64 // by mode
}

func newFlakyProxy(t *testing.T, to *Server) *flakyProxy {
	t.Helper()
	target, err := url.Parse(to.URL())
	if err != nil {
		t.Fatal(err)
	}
	next := httputil.NewSingleHostReverseProxy(target)
	p := &flakyProxy{address: FreeAddress(t)}
	p.handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		now := faultMode(p.mode.Load())
		p.requests[now].Add(1)
		switch now {
		case unavailable:
			w.WriteHeader(http.StatusServiceUnavailable)
		case throttling:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		case slow:
			<-time.After(700 * time.Millisecond)
			next.ServeHTTP(w, q)
		case hanging:
			_, _ = io.Copy(io.Discard, q.Body)
			<-q.Context().Done()
		default:
			next.ServeHTTP(w, q)
		}
	})
	t.Cleanup(func() { _ = p.server.Close() })
	p.open(t)
	return p
}

func (p *flakyProxy) open(t *testing.T) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.server = &http.Server{Handler: p.handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = p.server.Serve(l) }()
}

// applied returns an error if no request was handled in a mode.
func (p *flakyProxy) applied(mode faultMode) error {
	if p.requests[mode].Load() == 0 {
		return fmt.Errorf("no request in mode %d", mode)
	}
	return nil
}

func (p *flakyProxy) close() { _ = p.server.Close() }

// longOutage is the zero window. It exceeds the time without a reachable receiver after
// the restart of the daemon.
const longOutage = "30s"

// TestRemoteWrite sends to Prometheus with both protocols, and to VictoriaMetrics,
// through proxies that fail in several ways while sessions are written. In the end
// every receiver has the true totals, and every series began at zero and never fell,
// although the daemon was killed during an outage.
func TestRemoteWrite(t *testing.T) {
	t.Parallel()
	prometheus := NewPrometheus(t, "Prometheus", Prometheus, "", "--web.enable-remote-write-receiver", "--enable-feature=created-timestamp-zero-ingestion")
	victoria := NewVictoriaMetrics(t, "")
	prometheus.Start(t)
	victoria.Start(t)
	receivers := []receiver{
		{"one", prometheus, newFlakyProxy(t, prometheus), "prometheus.WriteRequest"},
		{"two", prometheus, newFlakyProxy(t, prometheus), "io.prometheus.write.v2.Request"},
		{"victoria", victoria, newFlakyProxy(t, victoria), "prometheus.WriteRequest"},
	}
	setMode := func(mode faultMode) {
		for _, r := range receivers {
			r.proxy.mode.Store(int32(mode))
		}
	}
	w := newWorkload(t, 7, 30*time.Second)
	config := func(messageTimeout string) string {
		text := daemonConfig(w, messageTimeout, longOutage) + "remote_write:\n"
		for _, r := range receivers {
			text += fmt.Sprintf("  - {name: %s, url: 'http://%s/api/v1/write', protobuf_message: %s, interval: 1s, remote_timeout: 1s, labels: {instance: %[1]s}}\n", r.name, r.proxy.address, r.message)
		}
		return text
	}
	daemon := NewDaemon(t, Daemon(t), config("24h"))
	daemon.Start(t)
	all := func(what string) {
		awaitSettled(t, what, daemon, func(numbers map[string]float64) (err error) {
			for _, r := range receivers {
				err = errors.Join(err, r.upToDate(t, numbers))
			}
			return err
		})
	}
	// At the first start, the series of existing files have no zero window.
	all("all receivers have the values before the first line")
	w.begin()
	for i, mode := range []faultMode{healthy, unavailable, throttling, slow, hanging, healthy} {
		setMode(mode)
		w.write(t, .1*float64(i+1))
		for _, r := range receivers {
			Eventually(t, r.name+" gets requests in the mode", func() error { return r.proxy.applied(mode) })
		}
	}
	// A zero that a receiver misses until the outage will not be sent again.
	all("all receivers are up to date before the outage")
	for _, r := range receivers {
		r.proxy.close()
	}
	// After a restart, series that were in their zero window have their value at once, so
	// new series are written only after it.
	daemon.Kill(t)
	daemon.Start(t)
	w.write(t, .8)
	w.write(t, 1)
	<-time.After(outage())
	for _, r := range receivers {
		r.proxy.open(t)
	}
	daemon.Write(t, "ccwatchd.yml", config("1s"))
	daemon.Signal(t, syscall.SIGHUP)
	w.awaitTotals(t, daemon)
	all("all receivers are up to date in the end")
	for _, r := range receivers {
		t.Run(r.name, r.check)
	}
	daemon.Stop(t)
	for _, r := range receivers {
		Eventually(t, "the series end at "+r.name, func() error {
			// If a session ended before the daemon was killed, no staleness marker was sent.
			left, err := r.server.Query(t.Context(), `count({instance="`+r.name+`", __name__!="claude_session_context_tokens"})`, time.Now())
			if err == nil && len(left) > 0 {
				err = fmt.Errorf("%v series remain", left[0].Samples[0].Value)
			}
			return err
		})
	}
}

// outage is how long the receivers are unreachable: some seconds, or CCWATCHD_AWAY.
func outage() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("CCWATCHD_AWAY")); err == nil {
		return d
	}
	return 8 * time.Second
}

// A receiver is a server that the daemon sends to through a proxy.
type receiver struct {
	name    string
	server  *Server
	proxy   *flakyProxy
	message string
}

// history returns all samples of the counters in the daemon's state.
func (r *receiver) history(t *testing.T) ([]Series, error) {
	t.Helper()
	return r.server.Query(t.Context(), strings.TrimSuffix(counterSelector(), "}")+`, instance="`+r.name+`"}`+lookback, time.Now())
}

func (r *receiver) upToDate(t *testing.T, numbers map[string]float64) error {
	t.Helper()
	series, err := r.history(t)
	if err == nil {
		err = compareNumbers(numbers, lastValues(series))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return nil
}

// check checks that every series begins at zero and never falls.
func (r *receiver) check(t *testing.T) {
	series, err := r.history(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, ts := range series {
		checkGrowth(t, ts)
		if ts.Labels["job"] != "ccwatchd" {
			t.Errorf("%s: got job %q, want ccwatchd", seriesName(ts.Labels), ts.Labels["job"])
		}
	}
}

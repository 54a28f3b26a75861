package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A site is a handler whose data a test sets.
type site struct {
	http.Handler
	reg   *prometheus.Registry
	ready atomic.Bool
	// The rest must not be changed during a request.
	progress  status.Progress
	summary   status.Summary
	dirs      []status.WatchedDir
	lastError *status.Failure
	unknown   []transcript.UnknownItem
}

func newSite() *site {
	s := &site{reg: prometheus.NewRegistry()}
	s.ready.Store(true)
	o := Options{
		Version:     "1.2.3",
		Exposition:  &metrics.Exposition{Provider: toolCalls{}, Registry: s.reg},
		Source:      usage.Source{Logger: slog.New(slog.DiscardHandler)},
		Ready:       s.ready.Load,
		Progress:    func() status.Progress { return s.progress },
		Summary:     func() status.Summary { return s.summary },
		WatchedDirs: func() []status.WatchedDir { return s.dirs },
		LastError:   func() *status.Failure { return s.lastError },
		Unknown:     func() []transcript.UnknownItem { return s.unknown },
		Reload:      func(context.Context) error { return nil },
	}
	s.Handler = o.routes(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "API of "+r.URL.Path)
	}), testPage{})
	return s
}

// toolCalls provides one counter.
type toolCalls struct{}

func (toolCalls) SnapshotInto(s *ledger.Snapshot) bool {
	s.Families = []counters.FamilySamples{{
		Family:  &counters.Family{Name: "claude_tool_calls_total", Help: "Tool calls.", Labels: []string{"tool"}},
		Samples: []counters.Sample{{Labels: []string{"Bash"}, Value: 12}},
	}}
	return true
}

// A testPage is a page that can be recognized.
type testPage struct{}

func (testPage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "the page")
}

func (testPage) Policy() string {
	return "default-src 'none'; style-src 'self'; frame-ancestors 'none'"
}

func (s *site) request(method, path string) *http.Response {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, path, http.NoBody))
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		method, path string
		notReady     bool
		status       int
		allow, text  string
	}{
		{method: "GET", path: "/", status: 200, text: "the page"},
		{method: "HEAD", path: "/", status: 200},
		{method: "GET", path: "/", notReady: true, status: 200, text: "the page"},
		{method: "POST", path: "/", status: 405, allow: "GET, HEAD"},
		{method: "GET", path: "/metrics", status: 200, text: "claude_tool_calls_total{"},
		{method: "GET", path: "/metrics", notReady: true, status: 503, text: "ccwatchd is catching up: 3 of 12 files, 25 % of 4.0 kB read.\n"},
		{method: "HEAD", path: "/metrics", status: 200},
		{method: "HEAD", path: "/metrics", notReady: true, status: 503},
		{method: "POST", path: "/metrics", status: 405, allow: "GET, HEAD"},
		{method: "DELETE", path: "/metrics", notReady: true, status: 405, allow: "GET, HEAD"},
		{method: "GET", path: "/api/v1/history", status: 200, text: "API of /api/v1/history"},
		{method: "GET", path: "/api/v1/history", notReady: true, status: 503, text: "ccwatchd is catching up: 3 of 12 files"},
		{method: "POST", path: "/api/v1/history", status: 405, allow: "GET, HEAD"},
		{method: "GET", path: "/-/healthy", status: 200, text: "ccwatchd is healthy.\n"},
		{method: "GET", path: "/-/healthy", notReady: true, status: 200, text: "ccwatchd is healthy.\n"},
		{method: "PUT", path: "/-/healthy", status: 405, allow: "GET, HEAD"},
		{method: "GET", path: "/-/ready", status: 200, text: "ccwatchd is ready.\n"},
		{method: "GET", path: "/-/ready", notReady: true, status: 503, text: "ccwatchd is catching up"},
		{method: "POST", path: "/-/ready", status: 405, allow: "GET, HEAD"},
		{method: "POST", path: "/-/reload", status: 200, text: "Reloaded the configuration.\n"},
		{method: "PUT", path: "/-/reload", notReady: true, status: 200, text: "Reloaded the configuration.\n"},
		{method: "GET", path: "/-/reload", status: 405, allow: "POST, PUT"},
		{method: "GET", path: "/favicon.ico", status: 404},
		{method: "POST", path: "/-/quit", status: 404},
	} {
		t.Run(strings.Trim(test.method+test.path, "/"), func(t *testing.T) {
			s := newSite()
			s.ready.Store(!test.notReady)
			s.progress = status.Progress{Files: 3, FilesTotal: 12, Bytes: 1000, BytesTotal: 4000}
			r := s.request(test.method, test.path)
			got := body(t, r)
			if r.StatusCode != test.status || !strings.Contains(got, test.text) {
				t.Errorf("got %d and %q, want %d with %q", r.StatusCode, got, test.status, test.text)
			}
			if allow := r.Header.Get("Allow"); allow != test.allow {
				t.Errorf("Allow: got %q, want %q", allow, test.allow)
			}
			for header, want := range map[string]string{
				"Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "no-referrer",
				"X-Content-Type-Options": "nosniff", "X-Frame-Options": "deny",
			} {
				if value := r.Header.Get(header); value != want {
					t.Errorf("%s: got %q, want %q", header, value, want)
				}
			}
			if policy := r.Header.Get("Content-Security-Policy"); policy != (testPage{}).Policy() {
				t.Errorf("Content-Security-Policy: got %q", policy)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	for left, want := range map[time.Duration]string{
		0: "1", 300 * time.Millisecond: "1", 7600 * time.Millisecond: "8", time.Hour: "60",
	} {
		s := newSite()
		s.ready.Store(false)
		s.progress.Left = left
		for _, path := range []string{"/metrics", "/-/ready"} {
			if got := s.request("GET", path).Header.Get("Retry-After"); got != want {
				t.Errorf("%s with %v left: got %q, want %q", path, left, got, want)
			}
		}
	}
}

func TestScrapesAreCounted(t *testing.T) {
	s := newSite()
	s.request("GET", "/metrics")
	s.ready.Store(false)
	s.request("GET", "/metrics")
	families, err := s.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := promlint.NewWithMetricFamilies(families).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("got the problems %v, %v", problems, err)
	}
	got := make(map[string]float64)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "promhttp_metric_handler_requests_total" {
				got[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	if want := map[string]float64{"200": 1, "503": 1, "500": 0}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestManyClients(t *testing.T) {
	s := newSite()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for _, path := range []string{"/metrics", "/", "/-/ready"} {
				if r := s.request("GET", path); r.StatusCode != http.StatusOK {
					t.Errorf("%s: got %d", path, r.StatusCode)
				}
			}
		})
	}
	all.Wait()
}

// A limit allows exactly that many concurrent requests.
func TestLimit(t *testing.T) {
	for n, slots := range map[int]int{0: 50, 1: 1, 3: 3} {
		arrived, leave := make(chan struct{}), make(chan struct{})
		h := limit(n, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			arrived <- struct{}{}
			<-leave
		}))
		get := func() *http.Response {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
			return w.Result()
		}
		answered := make(chan *http.Response, slots+1)
		for range slots {
			go func() { answered <- get() }()
			<-arrived
		}
		if n > 0 {
			r := get()
			if got := body(t, r); r.StatusCode != http.StatusServiceUnavailable ||
				r.Header.Get("Retry-After") != "1" || got != fmt.Sprintf("More than %d concurrent requests, try again later.\n", n) {
				t.Errorf("limit %d, one too many: got %d, %v and %q", n, r.StatusCode, r.Header, got)
			}
			leave <- struct{}{}
			<-answered
			go func() { answered <- get() }() // the slot is free again
			<-arrived
		}
		close(leave)
		for range slots {
			<-answered
		}
	}
}

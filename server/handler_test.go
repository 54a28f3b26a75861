package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	ready atomic.Bool
	// The rest must not be changed during a request.
	progress  status.Progress
	summary   status.Summary
	dirs      []status.WatchedDir
	lastError *status.Failure
	unknown   []transcript.UnknownItem
	refusal   *status.LimitRefusal
	reloads   int
}

func newSite() *site { return newSiteOf(testPage{}, 0) }

func newSiteOf(pages page, maxRequests int) *site {
	s := new(site)
	s.ready.Store(true)
	o := Options{
		Version:       "1.2.3",
		MaxRequests:   maxRequests,
		Exposition:    &metrics.Exposition{Provider: toolCalls{}, Registry: prometheus.NewRegistry()},
		Source:        usage.Source{Logger: slog.New(slog.DiscardHandler)},
		Ready:         s.ready.Load,
		Progress:      func() status.Progress { return s.progress },
		Summary:       func() status.Summary { return s.summary },
		WatchedDirs:   func() []status.WatchedDir { return s.dirs },
		LastError:     func() *status.Failure { return s.lastError },
		Unknown:       func() []transcript.UnknownItem { return s.unknown },
		LimitsRefused: func() *status.LimitRefusal { return s.refusal },
		Reload:        func(context.Context) error { s.reloads++; return nil },
	}
	s.Handler = o.routes(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "API of "+r.URL.Path)
	}), pages)
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

// request sends a request with headers, as pairs of name and value.
func (s *site) request(method, path string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
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
	var text string
	for _, ready := range []bool{true, false, true} {
		s.ready.Store(ready)
		text = body(t, s.request("GET", "/metrics"))
	}
	for code, want := range map[string]int{"200": 1, "503": 1, "500": 0} {
		if series := fmt.Sprintf("\npromhttp_metric_handler_requests_total{code=%q} %d\n", code, want); !strings.Contains(text, series) {
			t.Errorf("%s is missing in\n%s", series, text)
		}
	}
	if problems, err := promlint.New(strings.NewReader(text)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("got the problems %v, %v", problems, err)
	}
}

// Cross-site requests cannot reload the configuration.
func TestCrossSiteReload(t *testing.T) {
	s := newSite()
	for _, test := range []struct {
		header, value string
		status        int
	}{
		{"Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"Sec-Fetch-Site", "same-site", http.StatusForbidden},
		{"Origin", "http://other.example.com", http.StatusForbidden},
		{"Origin", "null", http.StatusForbidden},
		{"Origin", "http://example.com", http.StatusOK}, // the Host header of the requests
		{"Sec-Fetch-Site", "same-origin", http.StatusOK},
		{"User-Agent", "curl", http.StatusOK},
	} {
		for _, method := range []string{http.MethodPost, http.MethodPut} {
			if r := s.request(method, "/-/reload", test.header, test.value); r.StatusCode != test.status {
				t.Errorf("%s with %s %q: status %d, want %d", method, test.header, test.value, r.StatusCode, test.status)
			}
		}
	}
	if s.reloads != 6 {
		t.Errorf("got %d reloads, want 6", s.reloads)
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

package metrics

import (
	"context"
	"errors"
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

	scraped "github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A site is a Handler whose data a test sets.
type site struct {
	http.Handler
	source *fixedProvider
	reg    *prometheus.Registry
	shown  *Exposition
	log    strings.Builder
	ready  atomic.Bool
	// The rest must not be changed during a request.
	progress  Progress
	summary   Summary
	dirs      []WatchedDir
	lastError *Failure
	unknown   []transcript.UnknownItem
}

func newSite(changes ...func(*HandlerOptions)) *site {
	s := &site{source: &fixedProvider{snapshot: sample()}, reg: prometheus.NewRegistry()}
	s.ready.Store(true)
	NewDaemon(s.reg)
	o := HandlerOptions{
		Exposition:  &Exposition{Provider: s.source, Registry: s.reg},
		Logger:      slog.New(slog.NewTextHandler(&s.log, nil)),
		Version:     "1.2.3",
		Ready:       s.ready.Load,
		Progress:    func() Progress { return s.progress },
		Summary:     func() Summary { return s.summary },
		WatchedDirs: func() []WatchedDir { return s.dirs },
		Reload:      func(context.Context) error { return nil },
		LastError:   func() *Failure { return s.lastError },
		Unknown:     func() []transcript.UnknownItem { return s.unknown },
		Page:        testPage{},
		API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "API of "+r.URL.Path)
		}),
	}
	for _, change := range changes {
		change(&o)
	}
	s.shown = o.Exposition
	s.Handler = Handler(o)
	return s
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
			s.progress = Progress{Files: 3, FilesTotal: 12, Bytes: 1000, BytesTotal: 4000}
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

// Without a page there is none, and no answer may load anything.
func TestNoPage(t *testing.T) {
	s := newSite(func(o *HandlerOptions) { o.Page = nil })
	for path, want := range map[string]int{"/": http.StatusNotFound, "/-/healthy": http.StatusOK} {
		r := s.request("GET", path)
		if policy := r.Header.Get("Content-Security-Policy"); r.StatusCode != want || policy != policyWithoutPage {
			t.Errorf("%s: got %d with policy %q", path, r.StatusCode, policy)
		}
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

func TestProtobufCarriesCreatedTimestamps(t *testing.T) {
	r := newSite().request("GET", "/metrics", "Accept", "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited")
	samples, err := scraped.Parse(r.Body, scraped.Protobuf)
	if err != nil {
		t.Fatal(err)
	}
	created := make(map[string]bool)
	for _, s := range samples {
		created[s.Family] = s.Created.Equal(time.UnixMilli(born))
	}
	for name, want := range map[string]bool{
		"claude_tool_duration_seconds": true, "ccwatchd_read_bytes_total": true, "claude_last_activity_timestamp_seconds": false,
	} {
		if got, exists := created[name]; got != want || !exists {
			t.Errorf("%s: has the created timestamp: %v, exists: %v", name, got, exists)
		}
	}
}

func TestScrapesAreCounted(t *testing.T) {
	s := newSite()
	s.request("GET", "/metrics")
	s.ready.Store(false)
	s.request("GET", "/metrics")
	lint(t, s.reg)
	for _, m := range gather(t, s.reg)["promhttp_metric_handler_requests_total"].GetMetric() {
		want := map[string]float64{"200": 1, "503": 1, "500": 0}[value(m, "code")]
		if got := m.GetCounter().GetValue(); got != want {
			t.Errorf("%v: got %v, want %v", m.GetLabel(), got, want)
		}
	}
}

// Errors of gathering are logged and counted, and the rest is exposed.
func TestScrapeWithErrors(t *testing.T) {
	s := newSite()
	calls := &s.source.snapshot.Families[0]
	calls.Samples = append(calls.Samples, calls.Samples[0])
	r := s.request("GET", "/metrics")
	if got := body(t, r); r.StatusCode != http.StatusOK || !strings.Contains(got, "ccwatchd_read_bytes_total 1.0") {
		t.Errorf("got %d and\n%s", r.StatusCode, got)
	}
	if got := s.log.String(); !strings.Contains(got, `msg="Failed to answer a scrape in full" err="error gathering metrics: expose claude_tool_calls_total: two series have the same labels"`) {
		t.Errorf("got log %q", got)
	}
	for _, m := range gather(t, s.reg)["promhttp_metric_handler_errors_total"].GetMetric() {
		want := map[string]float64{"gathering": 1, "encoding": 0}[value(m, "cause")]
		if got := m.GetCounter().GetValue(); got != want {
			t.Errorf("%v: got %v, want %v", m.GetLabel(), got, want)
		}
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

package metrics

import (
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/test/difftest"
	exposed "github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A scraped is the handler of an Exposition of the sample.
type scraped struct {
	http.Handler
	source *fixedProvider
	shown  *Exposition
	log    strings.Builder
}

func newScraped() *scraped {
	s := &scraped{source: &fixedProvider{snapshot: sample()}}
	s.shown = &Exposition{Provider: s.source, Registry: prometheus.NewRegistry()}
	NewDaemon(s.shown.Registry)
	s.Handler = s.shown.Handler(slog.New(slog.NewTextHandler(&s.log, nil)))
	return s
}

// scrape sends a request with headers, as pairs of name and value.
func (s *scraped) scrape(headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// A filter that selects no family has an empty response, and does not panic.
func TestFilterWithoutMatch(t *testing.T) {
	s := newScraped()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics?name[]=none", http.NoBody))
	if w.Code != http.StatusOK || w.Body.Len() > 0 || s.log.Len() > 0 {
		t.Errorf("got status %d, body %q and log %q", w.Code, w.Body, s.log.String())
	}
}

// A compressed response is the same as a plain one, also when repeated.
func TestGzip(t *testing.T) {
	s := newScraped()
	for range 3 {
		plain := s.scrape()
		want := plain.Body.String()
		zipped := s.scrape("Accept-Encoding", "gzip")
		if got := zipped.Header().Values("Vary"); !slices.Equal(got, []string{"Accept", "Accept-Encoding"}) {
			t.Errorf("got Vary %q", got)
		}
		r, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		// The handler's own families differ between scrapes.
		own := strings.Index(want, "# HELP promhttp_")
		if len(want) < 1000 || own < 0 || string(got[:own]) != want[:own] {
			t.Errorf("the compressed exposition, compared with the plain one of %d bytes:\n%s", len(want), difftest.Diff(want, string(got)))
		}
	}
}

// Scrapes that their clients abandon log nothing: a client could fill the disk, since
// there is an error for each family.
func TestAbandonedScrapes(t *testing.T) {
	s := newScraped()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", http.NoBody))
	}
	_, done, err := s.shown.Gather() // once no scrape uses the families
	if done(); err != nil {
		t.Fatal(err)
	}
	if got := s.log.String(); got != "" {
		t.Errorf("got log %.1000q", got)
	}
}

// While nothing can be exposed, a scrape is answered with 503: a response without the
// counters would make all of their series stale.
func TestUnavailable(t *testing.T) {
	s := newScraped()
	for _, blocked := range []bool{true, false, true} {
		s.source.blocked = blocked
		for _, accept := range []string{"", "application/openmetrics-text", "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=text"} {
			r := s.scrape("Accept", accept, "Accept-Encoding", "gzip")
			switch got := r.Body.String(); {
			case blocked && (r.Code != http.StatusServiceUnavailable ||
				r.Header().Get("Retry-After") != "10" || !strings.HasPrefix(got, "Nothing can be exposed")):
				t.Errorf("%q: got %d, %v and %q", accept, r.Code, r.Header(), got)
			case !blocked && r.Code != http.StatusOK:
				t.Errorf("%q: got %d, want 200", accept, r.Code)
			}
		}
	}
}

// stalled is a client that stops reading until it is resumed.
type stalled struct {
	http.ResponseWriter
	sending, resume chan struct{}
}

func (s stalled) Write(b []byte) (int, error) {
	select {
	case s.sending <- struct{}{}:
	case <-s.resume:
	}
	<-s.resume
	return len(b), nil
}

// A client that stops reading does not block other clients.
func TestStalledClient(t *testing.T) {
	s := newScraped()
	client := stalled{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	var answered sync.WaitGroup
	answered.Go(func() { s.ServeHTTP(client, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)) })
	<-client.sending
	other := make(chan int, 1)
	answered.Go(func() { other <- s.scrape().Code })
	select {
	case status := <-other:
		if status != http.StatusOK {
			t.Errorf("got %d, want 200", status)
		}
	case <-time.After(polltest.Timeout):
		t.Error("another client got no response")
	}
	close(client.resume)
	answered.Wait()
}

func TestProtobufCarriesCreatedTimestamps(t *testing.T) {
	r := newScraped().scrape("Accept", "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited")
	samples, err := exposed.Parse(r.Body, exposed.Protobuf)
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

// Errors of gathering are logged and counted, and the rest is exposed.
func TestScrapeWithErrors(t *testing.T) {
	s := newScraped()
	calls := &s.source.snapshot.Families[0]
	calls.Samples = append(calls.Samples, calls.Samples[0])
	r := s.scrape()
	if got := r.Body.String(); r.Code != http.StatusOK || !strings.Contains(got, "ccwatchd_read_bytes_total 1.0") {
		t.Errorf("got %d and\n%s", r.Code, got)
	}
	if got := s.log.String(); !strings.Contains(got, `msg="Failed to answer a scrape in full" err="error gathering metrics: expose claude_tool_calls_total: two series have the same labels"`) {
		t.Errorf("got log %q", got)
	}
	for _, m := range gather(t, s.shown.Registry)["promhttp_metric_handler_errors_total"].GetMetric() {
		want := map[string]float64{"gathering": 1, "encoding": 0}[value(m, "cause")]
		if got := m.GetCounter().GetValue(); got != want {
			t.Errorf("%v: got %v, want %v", m.GetLabel(), got, want)
		}
	}
}

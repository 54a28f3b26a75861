package metrics

import (
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

func TestTakesGzip(t *testing.T) {
	for _, test := range []struct {
		headers []string
		want    bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{"gzip"}, true},
		{[]string{"GZIP"}, true},
		{[]string{"gzip, deflate, br"}, true},
		{[]string{"br;q=1.0, gzip;q=0.8, *;q=0.1"}, true},
		{[]string{"deflate", " gzip ; q=0.5 "}, true},
		{[]string{"gzip;q=0"}, false},
		{[]string{"gzip;q=0.000, identity"}, false},
		{[]string{"gzip;q=much"}, false},
		{[]string{"identity"}, false},
		{[]string{"x-gzip"}, false},
	} {
		if got := takesGzip(http.Header{"Accept-Encoding": test.headers}); got != test.want {
			t.Errorf("%q: got %v, want %v", test.headers, got, test.want)
		}
	}
}

// A page is the same however it is sent, also to who asks again and again.
func TestZipped(t *testing.T) {
	s := newSite()
	s.ask("GET", "/metrics")
	for range 3 {
		plain := s.ask("GET", "/metrics")
		want := body(t, plain)
		if got := plain.Header.Get("Content-Length"); got != strconv.Itoa(len(want)) {
			t.Errorf("Content-Length is %s, and there are %d bytes", got, len(want))
		}
		zipped := s.ask("GET", "/metrics", "Accept-Encoding", "gzip")
		if got := zipped.Header.Get("Vary"); got != "Accept, Accept-Encoding" {
			t.Errorf("Vary is %q", got)
		}
		r, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		// What the handler counts of itself has gone on.
		own := strings.Index(want, "# HELP promhttp_")
		if len(want) < 1000 || own < 0 || string(got[:own]) != want[:own] {
			t.Errorf("zipped it is\n%s\nand plain\n%s", got, want)
		}
	}
}

// What people ask for to look at it is there too.
func TestFormatsForPeople(t *testing.T) {
	for _, encoding := range []string{"text", "compact-text"} {
		r := newSite().ask("GET", "/metrics", "Accept", "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding="+encoding)
		if kind := r.Header.Get("Content-Type"); !strings.Contains(kind, "encoding="+encoding) {
			t.Errorf("got %q, want encoding %s", kind, encoding)
		}
		if got := body(t, r); !strings.Contains(got, "ccwatchd_read_bytes_total") {
			t.Errorf("%s: got %q", encoding, got)
		}
	}
}

// So many scrapes are answered at a time, and no more.
func TestTooManyScrapes(t *testing.T) {
	for limit, room := range map[int]int{0: 50, 1: 1, 3: 3} {
		s := newScraper(&HandlerOptions{Exposition: exposition(sample()), Logger: slog.New(slog.DiscardHandler), MaxScrapes: limit})
		ask := func() *http.Response {
			w := httptest.NewRecorder()
			s.answer(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
			return w.Result()
		}
		for range room {
			if got := ask().StatusCode; got != http.StatusOK {
				t.Errorf("limit %d: got %d, want 200", limit, got)
			}
			if !s.enter() {
				t.Fatalf("limit %d: there is no room", limit)
			}
		}
		if limit == 0 {
			continue
		}
		r := ask()
		if got := body(t, r); r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") != "1" ||
			got != fmt.Sprintf("More than %d scrapes at a time, try again later.\n", limit) {
			t.Errorf("limit %d, one too many: got %d, %v and %q", limit, r.StatusCode, r.Header, got)
		}
		s.leave()
		if got := ask().StatusCode; got != http.StatusOK {
			t.Errorf("limit %d, with room again: got %d, want 200", limit, got)
		}
	}
}

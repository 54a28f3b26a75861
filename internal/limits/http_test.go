package limits

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestHandler(t *testing.T) {
	at := func(d time.Duration) int64 { return start.Add(d).Unix() }
	windows := func(text string) string {
		return fmt.Sprintf(`{"session_id":"s","transcript_path":"/p/s.jsonl","rate_limits":%s}`, text)
	}
	fiveHours := func(fields string) string { return windows(`{"five_hour":{` + fields + `}}`) }
	good := fiveHours(fmt.Sprintf(`"used_percentage":42.5,"resets_at":%d`, at(time.Hour)))
	for _, test := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"good", good, 204, ""},
		{"both", windows(fmt.Sprintf(`{"five_hour":{"used_percentage":0,"resets_at":%d},"seven_day":{"used_percentage":1000,"resets_at":%d}}`, at(time.Second), at(7*24*time.Hour))), 204, ""},
		{"empty", "", 400, "invalid report: EOF"},
		{"no object", "[]", 400, "cannot unmarshal array"},
		{"another value", good + "{}", 400, "more than one value"},
		{"another key", strings.Replace(good, `"session_id"`, `"token":"x","session_id"`, 1), 400, `unknown field \"token\"`},
		{"no session", strings.Replace(good, `"s"`, `""`, 1), 400, "session_id: expected 1 to 128 bytes"},
		{"long session", strings.Replace(good, `"s"`, `"`+strings.Repeat("s", 129)+`"`, 1), 400, "session_id: expected 1 to 128 bytes"},
		{"long path", strings.Replace(good, `/p/`, strings.Repeat("p", 5000), 1), 400, "transcript_path: expected at most 4096 bytes"},
		{"too long", strings.Replace(good, `/p/`, strings.Repeat("p", 10_000), 1), 413, "too long"},
		{"no windows", windows(`{}`), 400, "rate_limits: missing"},
		{"a huge context", windows(`{},"context_window_size":1000000001`), 400, "context_window_size: expected at most 1000000000"},
		{"a negative context", windows(`{},"context_window_size":-1`), 400, "cannot unmarshal number"},
		{"other windows", windows(`{"spend_limit":{"used_percentage":140,"resets_at":null},"one\u0007_hour":{"used_percentage":1}}`), 204, ""},
		{"a window without a name", windows(`{"\u0007":{"used_percentage":1}}`), 400, "window without a name"},
		{"too many windows", windows(manyWindows(MaxWindows + 1)), 400, "rate_limits: expected at most 16 windows"},
		{"many windows", windows(manyWindows(MaxWindows)), 204, ""},
		{"no percentage", fiveHours(fmt.Sprintf(`"resets_at":%d`, at(time.Hour))), 400, "five_hour.used_percentage: expected"},
		{"negative", fiveHours(fmt.Sprintf(`"used_percentage":-1,"resets_at":%d`, at(time.Hour))), 400, "five_hour.used_percentage: expected"},
		{"too much", fiveHours(fmt.Sprintf(`"used_percentage":1001,"resets_at":%d`, at(time.Hour))), 400, "five_hour.used_percentage: expected"},
		{"text", fiveHours(fmt.Sprintf(`"used_percentage":"1","resets_at":%d`, at(time.Hour))), 400, "cannot unmarshal string"},
		{"no reset", fiveHours(`"used_percentage":1`), 204, ""},
		{"stale", fiveHours(fmt.Sprintf(`"used_percentage":1,"resets_at":%d`, at(0))), 400, "five_hour.resets_at: expected"},
		{"too late", fiveHours(fmt.Sprintf(`"used_percentage":1,"resets_at":%d`, at(6*time.Hour))), 400, "five_hour.resets_at: expected"},
		{"absurd", fiveHours(`"used_percentage":1,"resets_at":9223372036854775807`), 400, "five_hour.resets_at: expected"},
		{"a fraction of a second", fiveHours(fmt.Sprintf(`"used_percentage":1,"resets_at":%d.5`, at(time.Hour))), 400, "cannot unmarshal number"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Store
			got := post(&s, true, "application/json; charset=utf-8", test.body)
			if got.Code != test.status || !strings.Contains(got.Body.String(), test.want) {
				t.Errorf("got %d %s, want %d %s", got.Code, got.Body, test.status, test.want)
			}
			if n := len(s.Windows(start)); (n > 0) != (test.status == 204) {
				t.Errorf("got %d windows", n)
			}
		})
	}
	for _, test := range []struct {
		name, contentType string
		accepts           bool
		status            int
	}{
		{"a form of a web page", "text/plain", true, 415},
		{"no content type", "", true, 415},
		{"not enabled", "application/json", false, 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Store
			got := post(&s, test.accepts, test.contentType, good)
			if got.Code != test.status || len(s.Windows(start)) > 0 {
				t.Errorf("got %d %s, want %d", got.Code, got.Body, test.status)
			}
		})
	}
}

// The windows belong to the source of the transcript.
func TestSource(t *testing.T) {
	var s Store
	post(&s, true, "application/json", fmt.Sprintf(`{"session_id":"s","transcript_path":"/p/s.jsonl","rate_limits":{"five_hour":{"used_percentage":42.5,"resets_at":%d}}}`, start.Add(time.Hour).Unix()))
	if got, want := show(&s, 0), "of /p/s.jsonl five_hour 0.425 1h0m0s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A report without limits still sets the context size; the latest report counts.
func TestContextWindow(t *testing.T) {
	var s Store
	for _, test := range []struct{ size, want int }{{200_000, 200_000}, {1_000_000, 1_000_000}} {
		if got := post(&s, true, "application/json", fmt.Sprintf(`{"session_id":"a","context_window_size":%d}`, test.size)); got.Code != http.StatusNoContent {
			t.Errorf("size %d: got status %d %s, want 204", test.size, got.Code, got.Body)
		}
		if got := s.ContextWindow("of ", "a"); got != uint64(test.want) {
			t.Errorf("size %d: got context window %d, want %d", test.size, got, test.want)
		}
	}
	for i := range 2 * maxSessions { // another source neither sets nor displaces it
		s.Apply("ann", &Report{Session: fmt.Sprint(i), ContextWindow: 5_000_000}, start)
	}
	s.Apply("ann", &Report{Session: "a", ContextWindow: 5_000_000}, start)
	if got := s.ContextWindow("of ", "a"); got != 1_000_000 {
		t.Errorf("after reports of another source: got %d", got)
	}
	if got := s.ContextWindow("of ", "b"); got != 0 || len(s.Windows(start)) > 0 {
		t.Errorf("another session: got %d", got)
	}
}

// manyWindows are the windows of a report, by name.
func manyWindows(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"window_%02d":{"used_percentage":%d}`, i, i)
	}
	return "{" + strings.Join(all, ",") + "}"
}

func post(s *Store, accepts bool, contentType, body string) *httptest.ResponseRecorder {
	h := Handler(Options{
		Store: s, Accepts: func() bool { return accepts },
		Source: func(path string) string { return "of " + path },
		Now:    func() time.Time { return start },
	})
	r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

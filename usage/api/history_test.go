package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage"
)

var (
	started = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	now     = time.Date(2026, 3, 2, 12, 34, 56, 0, time.UTC)
)

// activity is a ledger with two days of a session.
func activity(options func(*ledger.Options)) *ledger.Ledger {
	l := ledgertest.New(started, options)
	add := func(id ledger.FileID, start time.Time, in int, call string) {
		s := transcripttest.Session{ID: "s", Name: call, CWD: "/src/web", Start: start}
		s.Prompt("go").Reply(transcripttest.Reply{ID: call, In: in, Stop: "tool_use", Calls: []transcripttest.Call{{ID: call, Name: "Bash"}}}).
			Result(call, "ok", false)
		ledgertest.Add(l, id, map[string]string{"user": "ann", "team": ""}, s.String(), now)
	}
	add(1, started.Add(2*time.Minute), 7, "call1")
	add(2, started.Add(24*time.Hour+6*time.Minute), 11, "call2")
	l.Counters().Start()
	return l
}

func handler(l *ledger.Ledger) http.Handler {
	return Handler(Options{Source: usage.Source{
		History: func() (counters.History, bool) { return l.History(), true },
		Now:     func() time.Time { return now },
	}, Version: "1.2.3"})
}

func get(h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	return w
}

// lines returns the lines of a response that contain a text.
func lines(w *httptest.ResponseRecorder, text string) (found []string) {
	for line := range strings.Lines(w.Body.String()) {
		if strings.Contains(line, text) {
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
	}
	return found
}

func TestHistory(t *testing.T) {
	const series = `{"family":"claude_tokens_total","labels":{"agent":"main","model":"opus","project":"web","type":"input","user":"ann"},"value":18`
	const created = `,"created":"2026-03-01T09:02:02Z","increases":`
	for query, want := range map[string]string{
		"":                                  created + `[[1772355600,300,7],[1772442300,300,11]]}`,
		"since=2026-03-02":                  `,"base":7` + created + `[[1772442300,300,11]]}`,
		"since=1d":                          `,"base":7` + created + `[[1772442300,300,11]]}`,
		"since=yesterday":                   created + `[[1772355600,300,7],[1772442300,300,11]]}`,
		"until=2026-03-01":                  created + `[[1772355600,300,7]]}`,
		"until=yesterday":                   created + `[[1772355600,300,7]]}`,
		"until=2026-03-02":                  created + `[[1772355600,300,7],[1772442300,300,11]]}`,
		"since=2026-03&until=all":           created + `[[1772355600,300,7],[1772442300,300,11]]}`,
		"since=2026-03-01T09:00:01Z":        `,"base":7` + created + `[[1772442300,300,11]]}`,
		"until=2026-03-02T09:05:00Z":        created + `[[1772355600,300,7]]}`,
		"until=2026-03-02T09:05:01Z":        created + `[[1772355600,300,7],[1772442300,300,11]]}`,
		"since=2026-03-03T00:00:00%2B01:00": `,"base":18` + created + `[]}`,
	} {
		w := get(handler(activity(nil)), "/api/v1/history?"+query)
		if got := lines(w, series); w.Code != http.StatusOK || len(got) != 1 || got[0] != series+want {
			t.Errorf("%s: status %d, got %q, want %s", query, w.Code, got, series+want)
		}
	}
}

// The history has the names of all projects, or if asked for, the series that are
// exposed.
func TestExposedHistory(t *testing.T) {
	l := ledgertest.New(started, func(o *ledger.Options) { o.Limits = map[string]int{"project": 1} })
	for i, project := range []string{"web", "api", "cli"} {
		s := transcripttest.Session{ID: project, CWD: "/src/" + project, Name: project, Start: started.Add(-time.Duration(i) * time.Hour)}
		s.Prompt("go")
		ledgertest.Add(l, ledger.FileID(i+1), nil, s.String(), now)
	}
	l.Counters().Start()
	for query, want := range map[string]string{"": "web api cli", "exposed=false": "web api cli", "exposed=true": "web other"} {
		var got []string
		for _, line := range lines(get(handler(l), "/api/v1/history?"+query), `"claude_prompts_total","labels"`) {
			var s HistorySeries
			if err := json.Unmarshal([]byte(line), &s); err != nil {
				t.Fatal(err)
			}
			if s.Value > 0 {
				got = append(got, s.Labels["project"])
			}
			if s.Labels["project"] == counters.Other && query != "" && s.Value > 0 && (s.Value != 2 || len(s.Increases) != 2) {
				t.Errorf("got %+v", s)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got the projects %q, want %s", query, got, want)
		}
	}
	if w := get(handler(l), "/api/v1/history?exposed=maybe"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "expected true or false") {
		t.Errorf("got status %d, %s", w.Code, w.Body)
	}
}

// A histogram has sums, in the unit of the divisor.
func TestHistogram(t *testing.T) {
	w := get(handler(activity(nil)), "/api/v1/history")
	want := `{"family":"claude_tool_duration_seconds","labels":{"tool":"Bash","user":"ann"},"value":2,"sum":2000,"created":"2026-03-01T09:02:03Z",` +
		`"increases":[[1772355600,300,1,1000],[1772442300,300,1,1000]]}`
	if got := lines(w, `"claude_tool_duration_seconds","labels"`); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

func TestHistoryHeader(t *testing.T) {
	w := get(handler(activity(nil)), "/api/v1/history")
	first, _, _ := strings.Cut(w.Body.String(), "\n")
	const want = `{"version":"1.2.3","time":"2026-03-02T12:34:56Z","fine_from":"2025-12-30T00:00:00Z","started":"2026-03-01T09:00:00Z","families":[`
	if got := w.Header().Get("Content-Type"); !strings.HasPrefix(first, want) || got != "application/x-ndjson" {
		t.Errorf("got %q and %s, want %s", got, first, want)
	}
	var header HistoryHeader
	if err := json.Unmarshal([]byte(first), &header); err != nil {
		t.Fatal(err)
	}
	divisors := map[string]uint64{
		"claude_tokens_total": 1, "claude_cost_usd_total": 1e9, "claude_tool_duration_seconds": 1000, "claude_turn_requests": 1,
	}
	for _, f := range header.Families {
		want := divisors[f.Name]
		if delete(divisors, f.Name); want != 0 && f.Divisor != want || f.Help == "" {
			t.Errorf("got %+v, want divisor %d", f, want)
		}
		if histogram := strings.HasSuffix(f.Name, "_seconds") || f.Name == "claude_turn_requests"; histogram && f.Type != "histogram" {
			t.Errorf("got %+v, want a histogram", f)
		}
		if f.Name == "claude_last_activity_timestamp_seconds" {
			t.Errorf("got the gauge %s", f.Name)
		}
	}
	if len(divisors) > 0 {
		t.Errorf("missing: %v", divisors)
	}
}

// Increases while recording was off are the base of a series.
func TestUndated(t *testing.T) {
	l := activity(func(o *ledger.Options) { o.FineHistory = 0 })
	l.Configure(ledgertest.Options())
	w := get(handler(l), "/api/v1/history")
	if got := lines(w, `"project":"web","type":"input"`); len(got) != 1 || !strings.Contains(got[0], `"value":18,"base":18,`) || !strings.HasSuffix(got[0], `"increases":[]}`) {
		t.Errorf("got %q", got)
	}
}

// A new series that is exposed as 0 is marked.
func TestHidden(t *testing.T) {
	l := ledger.New(ledgertest.Options(), started.UnixMilli())
	s := transcripttest.Session{ID: "s", CWD: "/src/web", Start: started}
	ledgertest.Add(l, 1, nil, s.Prompt("go").String(), now)
	for _, hidden := range []bool{true, false} {
		got := lines(get(handler(l), "/api/v1/history"), `"family":"claude_prompts_total"`)
		if len(got) != 1 || strings.Contains(got[0], `"hidden":true`) != hidden {
			t.Errorf("got %q, want hidden: %v", got, hidden)
		}
		l.Counters().Release(l.Counters().Pending())
	}
}

func TestRefused(t *testing.T) {
	stopping := Handler(Options{Source: usage.Source{History: func() (counters.History, bool) { return counters.History{}, false }}})
	for _, test := range []struct {
		handler http.Handler
		query   string
		status  int
		text    string
	}{
		{stopping, "", 503, "ccwatchd is stopping"},
		{handler(activity(func(o *ledger.Options) { o.FineHistory = 0 })), "", 503, `no history is recorded: remove "history: off" from the configuration`},
		{handler(activity(nil)), "since=sometime", 400, `since: "sometime": expected a time such as`},
		{handler(activity(nil)), "until=1", 400, `until: "1": expected a time such as`},
		{handler(activity(nil)), "since=1h&until=2h", 400, "since must be before until"},
	} {
		w := get(test.handler, "/api/v1/history?"+test.query)
		var failure struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &failure); err != nil || w.Code != test.status || !strings.HasPrefix(failure.Error, test.text) {
			t.Errorf("%q: got %d and %q, want %d and %q", test.query, w.Code, w.Body, test.status, test.text)
		}
	}
}

func TestParseDays(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	for text, want := range map[string]string{
		"2026-01-31T15:04:05Z":      "2026-01-31T15:04:05Z",
		"2026-01-31T15:04:05+02:00": "2026-01-31T13:04:05Z",
		"2026-01-31":                "2026-01-30T23:00:00Z",
		"20260131":                  "2026-01-30T23:00:00Z",
		"7d":                        "2026-02-23T23:00:00Z",
		"1h30m":                     "2026-03-02T11:00:00Z",
		"0":                         "2026-03-02T12:30:00Z",
		"-1h":                       "",
		"2026-13-01":                "",
		"":                          "0001-01-01T00:00:00Z",
	} {
		got, _, err := ParseDays(text, now.In(berlin))
		if (err != nil) != (want == "") || err == nil && got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: got %v and %v, want %q", text, got, err, want)
		}
	}
}

// A reader returns exactly the series that were sent.
func TestReadHistory(t *testing.T) {
	l := activity(nil)
	header, series := NewHistory(l.History(), "1.2.3", now)
	got, all, err := ReadHistory(get(handler(l), "/api/v1/history").Body)
	if err != nil || !reflect.DeepEqual(got, header) {
		t.Fatalf("got %+v and %v, want %+v", got, err, header)
	}
	var want []HistorySeries
	for s := range series {
		want = append(want, s)
	}
	n := 0
	for s, err := range all {
		if err != nil || n >= len(want) || !reflect.DeepEqual(s, want[n]) {
			t.Fatalf("series %d: got %+v and %v", n, s, err)
		}
		n++
	}
	if n != len(want) || n < 20 {
		t.Errorf("got %d series, want %d", n, len(want))
	}
}

// Numbers of 64 bits are not rounded.
func TestExact(t *testing.T) {
	want := Increases{{Start: 300_000, End: 600_000, Value: 1<<64 - 1, Sum: 1<<63 + 1}}
	b, err := json.Marshal(want)
	var got Increases
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v and %v from %s, want %v", got, err, b, want)
	}
}

func TestReadOther(t *testing.T) {
	for _, text := range []string{"", "<html>", "{}", `{"time":"2026-03-01T00:00:00Z"}`} {
		if _, _, err := ReadHistory(strings.NewReader(text)); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
	const header = `{"time":"2026-03-01T00:00:00Z","families":[{"name":"a_total"}]}`
	_, all, err := ReadHistory(strings.NewReader(header + "\n" + `{"family":"a_total"}` + "\n" + `{"family":`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for s, err := range all {
		got = append(got, fmt.Sprint(s.Family, err != nil))
	}
	if want := []string{"a_totalfalse", "true"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A client that reads slowly gets time for each part of a response.
func TestDeadline(t *testing.T) {
	w := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
	h := handler(activity(nil))
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/history", http.NoBody))
	if w.deadlines == 0 {
		t.Error("the deadline was not extended")
	}
}

type deadlineRecorder struct {
	*httptest.ResponseRecorder
	deadlines int
}

func (w *deadlineRecorder) SetWriteDeadline(time.Time) error {
	w.deadlines++
	return nil
}

// Increases that were counted after the first scrape, at times before it, are marked.
func TestLate(t *testing.T) {
	l := activity(nil)
	s := transcripttest.Session{ID: "t", CWD: "/src/web", Start: started.Add(-time.Hour)}
	ledgertest.Add(l, 3, map[string]string{"user": "ann", "team": ""}, s.Prompt("go").String(), now)
	const want = `"increases":[[1772352000,300,1],[1772355600,300,1],[1772442300,300,1]],"late":[[1772352000,300,1]]}`
	if got := lines(get(handler(l), "/api/v1/history"), `"claude_prompts_total","labels"`); len(got) != 1 || !strings.HasSuffix(got[0], want) {
		t.Errorf("got %q, want %s", got, want)
	}
	if got := lines(get(handler(l), "/api/v1/history?since=2026-03-01T09:00:00Z"), `"late"`); len(got) > 0 {
		t.Errorf("got %q, want nothing late", got)
	}
}

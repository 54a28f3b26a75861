package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// someSessions is a handler for a ledger with three sessions; the last session is live.
// now is 12:34:56.
func someSessions(options func(*ledger.Options)) http.Handler {
	l := ledgertest.New(started, options)
	for i, cwd := range []string{"/src/web", "/src/app", "/src/web"} {
		ago := []time.Duration{26 * time.Hour, 3 * time.Hour, time.Minute}[i]
		id := fmt.Sprint("s", i+1)
		s := transcripttest.Session{ID: id, Name: id, CWD: cwd, Start: now.Add(-ago)}
		s.Prompt("go").Reply(transcripttest.Reply{ID: id, In: 1000, Stop: "tool_use", Calls: []transcripttest.Call{{ID: id, Name: "Bash"}}}).
			Result(id, "no", true)
		ledgertest.Add(l, ledger.FileID(i+1), map[string]string{"user": "ann", "team": ""}, s.String(), now)
	}
	return Handler(Options{Source: usage.Source{
		Sessions: func(q ledger.SessionQuery) (ledger.SessionList, bool) { return l.SessionList(q, now.UnixMilli()), true },
		History:  func() (counters.History, bool) { return l.History(), true },
		Now:      func() time.Time { return now }, Location: func() *time.Location { return time.UTC },
		ContextWindow: func(source counters.SourceLabels, id string) uint64 {
			return map[string]uint64{"ann s3": 200_000}[source.Labels()["user"]+" "+id]
		},
	}})
}

func TestSessions(t *testing.T) {
	for query, want := range map[string]string{
		"":                        "s3 s2 s1",
		"limit=2":                 "s3 s2",
		"since=1d":                "s3 s2", // today
		"since=today":             "s3 s2",
		"since=today&tz=-12:00":   "s3", // since noon
		"tz=Mars":                 "error",
		"since=4h":                "s3 s2",
		"since=10m":               "s3",
		"since=2026-03-01":        "s3 s2 s1",
		"project=web":             "s3 s1",
		"project=web&limit=1":     "s3",
		"project=none":            "",
		"project=&limit=1000":     "s3 s2 s1",
		"since=2026-03-02T12:00Z": "error",
		"limit=0":                 "error",
		"limit=1001":              "error",
		"limit=x":                 "error",
		"limit=1&limit=2":         "error",
		"user=ann":                "s3 s2 s1",
		"user=bob":                "",
		"user=ann&project=app":    "s2",
		"team=":                   "s3 s2 s1",
		"host=a":                  "error",
		"model=opus":              "s3 s2 s1",
		"model=sonnet":            "",
		"until=2026-03-02T09:45Z": "error",
		"until=yesterday":         "s1",
		"until=9h&since=1d":       "",
		"since=4h&until=2h":       "s2",
		"until=2026-03-01&tz=UTC": "s1",
		"since=2h&until=3h":       "error",
		"sort=cost":               "s3 s2 s1",
		"sort=tokens&limit=1":     "s3",
		"sort=size":               "error",
		"id=s2":                   "s2",
		"id=s":                    "",
		"id=":                     "error",
		"limit=%zz":               "error",
	} {
		w := get(someSessions(nil), SessionsPath+"?"+query)
		var all Sessions
		if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, s := range all.Sessions {
			ids = append(ids, s.ID)
		}
		got := strings.Join(ids, " ")
		if w.Code == http.StatusBadRequest && strings.Contains(w.Body.String(), `{"error":`) {
			got = "error"
		}
		if got != want || got != "error" && (w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json") {
			t.Errorf("%s: status %d, got %q, want %q: %s", query, w.Code, got, want, w.Body)
		}
	}
}

func TestSessionsJSON(t *testing.T) {
	w := get(someSessions(nil), SessionsPath+"?limit=1")
	const want = `{"time":"2026-03-02T12:34:56Z","live":1,"sessions":[{"id":"s3","project":"web","labels":{"user":"ann"},"live":true,` +
		`"model":"opus","model_name":"opus","context_tokens":1000,"context_window_tokens":200000,"first":"2026-03-02T12:33:57Z","last":"2026-03-02T12:33:59Z",` +
		`"requests":1,"prompts":1,"tool_calls":1,"tool_errors":1,` +
		`"input_tokens":1000,"output_tokens":0,"cache_read_tokens":0,"cache_write_5m_tokens":0,"cache_write_1h_tokens":0,"cost_usd":0.005}]}` + "\n"
	if got := w.Body.String(); got != want {
		t.Errorf("the answer differs:\n%s", difftest.Diff(want, got))
	}
	// The last line is of 12:33:59, so all of it was before 13:00.
	w = get(someSessions(nil), SessionsPath+"?limit=1&since=2026-03-02T12:45:00Z")
	for _, part := range []string{`"since":"2026-03-02T12:30:00Z"`, `"requests":1`} {
		if got := w.Body.String(); !strings.Contains(got, part) {
			t.Errorf("got %s, want %s", got, part)
		}
	}
	w = get(someSessions(nil), SessionsPath+"?limit=1&sort=cost")
	if got := w.Body.String(); !strings.HasSuffix(got, `],"left_out":{"sessions":2,"tokens":2000,"cost_usd":0.01}}`+"\n") {
		t.Errorf("got %s, want two sessions left out", got)
	}
	w = get(someSessions(func(o *ledger.Options) { o.Prices = nil }), SessionsPath+"?limit=1&sort=cost")
	if strings.Contains(w.Body.String(), "cost_usd") {
		t.Errorf("got a cost without prices: %s", w.Body)
	}
}

// The context window comes from the model, unless the session states another size.
func TestSessionsContextWindow(t *testing.T) {
	list := ledger.SessionList{Sessions: []ledger.SessionTotals{
		{Session: ledger.Session{Model: "claude-opus-5-5", Context: 170_000}},
		{Session: ledger.Session{Model: "claude-opus-5-5", Context: 170_000, Window: 300_000}},
		{Session: ledger.Session{Model: "claude-sonnet-4-5", Context: 170_000}},
	}}
	for i, want := range []uint64{1_000_000, 300_000, 200_000} {
		if got := NewSessions(list).Sessions[i].ContextWindow; got != want {
			t.Errorf("session %d: got %d, want %d", i, got, want)
		}
	}
}

// Sessions without an id and times are sent without them.
func TestSessionsUnknown(t *testing.T) {
	all := NewSessions(ledger.SessionList{Sessions: []ledger.SessionTotals{{Unpriced: 5}}})
	b, err := json.Marshal(all.Sessions[0])
	if err != nil || strings.Contains(string(b), "first") || strings.Contains(string(b), `"id"`) ||
		!strings.Contains(string(b), `"unpriced_tokens":5`) {
		t.Errorf("got %s, %v", b, err)
	}
}

func TestSessionsUnavailable(t *testing.T) {
	stopping := Handler(Options{Source: usage.Source{Sessions: func(ledger.SessionQuery) (ledger.SessionList, bool) { return ledger.SessionList{}, false }}})
	if w := get(stopping, SessionsPath); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("status %d, headers %v", w.Code, w.Header())
	}
}

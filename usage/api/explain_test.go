package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/explain"
)

// explained is a handler for a ledger with two sessions, one of which misses the cache.
// The transcripts of the other one do not exist.
func explained(changes ...func(*usage.Source)) http.Handler {
	l := ledgertest.New(started, nil)
	for i, cwd := range []string{"/src/web", "/src/app"} {
		id := fmt.Sprint("session-", i+1)
		s := transcripttest.Session{ID: id, Name: id, CWD: cwd, Start: now.Add(-time.Duration(i+1) * time.Hour)}
		content := s.Prompt("go").Reply(transcripttest.Reply{ID: id, In: 100_000, Stop: "end_turn"}).String()
		for n := range 2 * (1 - i) {
			content += fmt.Sprintf(`{"type":"assistant","uuid":"%d","timestamp":%q,"sessionId":%q,"message":{"id":"m%d","model":"claude-opus-4-6","stop_reason":"end_turn","usage":{"cache_creation_input_tokens":1000000}}}`+"\n",
				n, now.Add(time.Duration(n-50)*time.Minute).Format(time.RFC3339), id, n)
		}
		ledgertest.Add(l, ledger.FileID(i+1), nil, content, now)
	}
	from := usage.Source{
		Sessions:     func(q ledger.SessionQuery) (ledger.SessionList, bool) { return l.SessionList(q, now.UnixMilli()), true },
		History:      func() (counters.History, bool) { return l.History(), true },
		ReadSessions: func(context.Context) usage.SessionReader { return readExplained },
		Now:          func() time.Time { return now }, Location: func() *time.Location { return time.UTC },
	}
	for _, change := range changes {
		change(&from)
	}
	return Handler(Options{Source: from})
}

func readExplained(id ledger.SessionID) (d ledger.SessionDetail, ok bool, err error) {
	d.History = ledgertest.New(started, nil).History()
	d.Requests = []ledger.CountedRequest{{
		Project: ledger.MainPart, Usage: transcript.Usage{CacheWrite5m: 1_000_000}, Cost: pricing.Cost{CacheWrite5m: 6_250_000_000},
	}}
	return d, id.ID == "session-1", nil
}

// The transcripts of all sessions are looked for once.
func TestExplainLooksOnce(t *testing.T) {
	readers, sessions := 0, 0
	get(explained(func(from *usage.Source) {
		from.ReadSessions = func(context.Context) usage.SessionReader {
			readers++
			return func(id ledger.SessionID) (ledger.SessionDetail, bool, error) {
				sessions++
				return readExplained(id)
			}
		}
	}), ExplainPath)
	if readers != 1 || sessions != 2 {
		t.Errorf("%d readers have read %d sessions", readers, sessions)
	}
}

func TestExplain(t *testing.T) {
	for query, want := range map[string]string{
		"":                              "unexplained; session-1 large_context, session-2 gone",
		"since=today&until=today":       "unexplained; session-1 large_context, session-2 gone",
		"until=yesterday":               "; ",
		"project=web":                   "unexplained; session-1 large_context",
		"project=app":                   "; session-2 gone",
		"model=claude-opus-4-6":         "unexplained; session-1 large_context",
		"id=session-2":                  "no period; session-2 gone",
		"id=session-1&since=2026-03-02": "no period; session-1 large_context",
		"id=other":                      "no period; ",
		"tz=Mars":                       "error",
		"since=2d&until=3d":             "error",
		"limit=3":                       "error",
	} {
		w := get(explained(), ExplainPath+"?"+query)
		if got := summary(t, w.Body.Bytes()); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}

// A request waits at most ten seconds while another one reads transcripts.
func TestExplainWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proceed := make(chan struct{})
		h := explained(func(from *usage.Source) {
			from.ReadSessions = func(context.Context) usage.SessionReader {
				<-proceed
				return readExplained
			}
		})
		first := make(chan int)
		go func() { first <- get(h, ExplainPath).Code }()
		synctest.Wait()
		begin := time.Now()
		w := get(h, ExplainPath)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "10" || time.Since(begin) != readingWait {
			t.Errorf("status %d after %v: %s", w.Code, time.Since(begin), w.Body)
		}
		close(proceed)
		if code := <-first; code != http.StatusOK {
			t.Errorf("the first request: status %d", code)
		}
	})
}

// A daemon that is stopping explains nothing.
func TestExplainStopping(t *testing.T) {
	w := get(explained(func(from *usage.Source) {
		from.Sessions = func(ledger.SessionQuery) (l ledger.SessionList, ok bool) { return l, false }
	}), ExplainPath)
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "stopping") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// summary returns the facts of an explanation, and its sessions with their facts.
func summary(t *testing.T, body []byte) string {
	t.Helper()
	var e Explanation
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatal(err)
	}
	if e.Sessions == nil {
		return "error"
	}
	names := func(facts []explain.Fact) (all []string) {
		for _, f := range facts {
			all = append(all, strings.TrimPrefix(f.Name+" "+string(f.Kind), " "))
		}
		return all
	}
	period := strings.ReplaceAll(strings.Join(names(e.Facts), " "), " cache_rewritten", "")
	if e.CostUSD == nil {
		period = "no period"
	}
	var sessions []string
	for _, s := range e.Sessions {
		facts := "gone"
		if s.Explained != nil {
			facts = strings.Join(names(s.Explained.Facts), " ")
		} else if s.Missing != noTranscripts {
			facts = s.Missing
		}
		sessions = append(sessions, s.ID+" "+facts)
	}
	return period + "; " + strings.Join(sessions, ", ")
}

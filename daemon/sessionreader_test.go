package daemon

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/usage"
)

// quietHarness returns a harness whose daemon has counted all pending messages of the
// files in a directory.
func quietHarness(t *testing.T, dir string) *harness {
	t.Helper()
	h := newHarness(t)
	h.settings.Sources, h.settings.MaxLine = sources(dir), 64<<20
	h.start()
	h.expireMessageTimeout()
	h.waitUntil("the files are quiet", func() (quiet bool) {
		whileLocked(h.d.state, func() { quiet = len(h.d.state.Ledger().AllPending()) == 0 })
		return quiet
	})
	return h
}

func sessionsOf(t testing.TB, d *Daemon) []ledger.SessionTotals {
	t.Helper()
	list, ok := d.Sessions(ledger.SessionQuery{Limit: 1000, Since: math.MinInt64})
	if !ok || len(list.Sessions) == 0 {
		t.Fatal("there are no sessions")
	}
	return list.Sessions
}

// detailTotals returns the totals of the session in its detail, without other sessions.
func detailTotals(t testing.TB, detail *ledger.SessionDetail) ledger.SessionTotals {
	t.Helper()
	u, err := usage.Compute(&detail.History, usage.Query{Where: map[string][]string{"project": detail.Parts()}})
	if err != nil {
		t.Fatal(err)
	}
	v := &u.Total
	return ledger.SessionTotals{
		Requests: v[usage.Requests], Prompts: v[usage.Prompts], ToolCalls: v[usage.ToolCalls], ToolErrors: v[usage.ToolErrors],
		Input: v[usage.InputTokens], Output: v[usage.OutputTokens], CacheRead: v[usage.CacheReadTokens],
		CacheWrite5m: v[usage.CacheWrite5mTokens], CacheWrite1h: v[usage.CacheWrite1hTokens], NanoUSD: v[usage.Cost],
	}
}

// countsOf returns the totals of a session without the fields that a detail lacks.
func countsOf(s *ledger.SessionTotals) ledger.SessionTotals {
	c := *s
	c.Session, c.Live, c.First, c.Unpriced = ledger.Session{}, false, 0, 0
	return c
}

// A page of a session leaves out compressed files, as the daemon does.
func TestReadSessionWithoutArchives(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Write(fileA, endedReplies("a", 2))
	compress(t, h.Path(fileA)+".gz", strings.NewReader(endedReplies("a", 5)))
	h.start()
	h.waitFor(totals{requests: 2})
	s := sessionsOf(t, h.d)[0]
	detail, ok, err := h.d.ReadSessions(t.Context())(ledger.SessionID{ID: s.ID})
	if got := len(detail.Requests); got != 2 || !ok || err != nil {
		t.Errorf("got %d requests, %v, %v", got, ok, err)
	}
}

// Reading a session's transcripts again gives the daemon's counts for the session, also
// with forks, copies and sub-agents.
func TestReadSessions(t *testing.T) {
	t.Parallel()
	read := 0
	for name, dir := range fixtureDirs(t) {
		h := quietHarness(t, dir)
		readSession := h.d.ReadSessions(t.Context())
		for _, s := range sessionsOf(t, h.d) {
			detail, ok, err := readSession(ledger.SessionID{ID: s.ID})
			if err != nil || !ok || detail.Failed > 0 {
				t.Errorf("%s, %s: got %v, %v, %d files failed", name, s.ID, ok, err, detail.Failed)
				continue
			}
			if got, want := detailTotals(t, &detail), countsOf(&s); got != want {
				t.Errorf("%s, %s: got %+v\nwant %+v", name, s.ID, got, want)
			}
			checkRequests(t, name+", "+s.ID, &detail)
			read++
		}
		h.stop()
	}
	if read < 20 {
		t.Errorf("read only %d sessions", read)
	}
}

// checkRequests checks that the requests of a detail add up to its history.
func checkRequests(t *testing.T, name string, detail *ledger.SessionDetail) {
	t.Helper()
	u, err := usage.Compute(&detail.History, usage.Query{Where: map[string][]string{"project": detail.Parts()}})
	if err != nil {
		t.Fatal(err)
	}
	var got usage.Values
	for i := range detail.Requests {
		r := &detail.Requests[i]
		got[usage.Requests]++
		got[usage.RewrittenTokens] += r.Cache.Rewritten
		got[usage.RewrittenCost] += r.Cache.RewrittenNanoUSD
	}
	for _, m := range []usage.Measure{usage.Requests, usage.RewrittenTokens, usage.RewrittenCost} {
		if got[m] != u.Total[m] {
			t.Errorf("%s: the requests have %d %s, want %d", name, got[m], m, u.Total[m])
		}
	}
}

// The results of tools and the compactions of the main conversation count once, also in
// a copy of the transcript.
func TestReadContext(t *testing.T) {
	t.Parallel()
	const lines = `{"type":"user","uuid":"u0","timestamp":"2026-05-01T10:00:00Z","sessionId":"a","cwd":"/p/web","message":{"role":"user","content":"x"}}
{"type":"assistant","uuid":"u1","timestamp":"2026-05-01T10:00:01Z","sessionId":"a","message":{"id":"m1","model":"opus","stop_reason":"tool_use","usage":{"input_tokens":1},"content":[{"type":"tool_use","id":"toolu_01AAAAAAAAAAAAAAAAAAAAAA","name":"Read","input":{}}]}}
{"type":"user","uuid":"u2","timestamp":"2026-05-01T10:00:02Z","sessionId":"a","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01AAAAAAAAAAAAAAAAAAAAAA","content":"12345"}]}}
{"type":"system","subtype":"compact_boundary","uuid":"u3","timestamp":"2026-05-01T10:00:03Z","sessionId":"a","compactMetadata":{"trigger":"manual","preTokens":90000,"postTokens":8000}}
`
	h := newHarness(t)
	h.Write("p/a.jsonl", lines)
	h.Write("q/a.jsonl", lines)
	h.start()
	detail, _, err := h.d.ReadSessions(t.Context())(ledger.SessionID{ID: "a"})
	h.Must(err)
	at := time.Date(2026, 5, 1, 10, 0, 2, 0, time.UTC).UnixMilli()
	if want := []ledger.SessionResult{{When: at, Tool: "Read", Bytes: 5}}; !slices.Equal(detail.Results, want) {
		t.Errorf("got the results %v", detail.Results)
	}
	if want := []ledger.SessionCompaction{{When: at + 1000, Trigger: "manual", Before: 90000, After: 8000}}; !slices.Equal(detail.Compactions, want) {
		t.Errorf("got the compactions %v", detail.Compactions)
	}
}

// Each sub-agent is a separate part, with its type and times.
func TestReadSubagents(t *testing.T) {
	t.Parallel()
	h := quietHarness(t, fixtureDirs(t)["16-attribution"])
	agents, types := 0, make(map[string]int)
	for _, s := range sessionsOf(t, h.d) {
		detail, _, err := h.d.ReadSessions(t.Context())(ledger.SessionID{ID: s.ID})
		h.Must(err)
		for _, a := range detail.Agents {
			if agents++; a.First == 0 || a.Last < a.First {
				t.Errorf("%s has the times %d and %d", a.Name, a.First, a.Last)
			}
			types[a.Type]++
		}
	}
	if agents < 3 || types["Explore"] == 0 {
		t.Errorf("got %d sub-agents of the types %v", agents, types)
	}
}

// The transcripts of all sessions of a request are looked for once, by its first
// session.
func TestReadSessionsLooksOnce(t *testing.T) {
	t.Parallel()
	h := startWithReplies(t, 1)
	read := h.d.ReadSessions(t.Context())
	check := func(id string, want bool) {
		t.Helper()
		if _, ok, err := read(ledger.SessionID{ID: id}); ok != want || err != nil {
			t.Errorf("session %s: got %v, %v, want %v", id, ok, err, want)
		}
	}
	check("a", true)
	h.Write("p/b.jsonl", replies("b", 1))
	h.waitForSessions(2)
	check("b", false)
	check("a", true)
}

// A session without transcripts, or with too large transcripts, has only its totals.
func TestUnreadSessions(t *testing.T) {
	t.Parallel()
	h := startWithReplies(t, 2)
	read := func(id string) (bool, error) {
		_, ok, err := h.d.ReadSessions(t.Context())(ledger.SessionID{ID: id})
		return ok, err
	}
	if ok, err := read("a"); !ok || err != nil {
		t.Errorf("present: got %v, %v", ok, err)
	}
	if ok, err := read("none"); ok || err != nil {
		t.Errorf("unknown: got %v, %v", ok, err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok, err := h.d.ReadSessions(canceled)(ledger.SessionID{ID: "a"}); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v, %v", ok, err)
	}
	h.Must(os.Truncate(h.Path("p/a.jsonl"), maxSessionBytes+1))
	if ok, err := read("a"); ok || !errors.Is(err, ErrSessionSize) {
		t.Errorf("too large: got %v, %v", ok, err)
	}
	h.Must(os.Remove(h.Path("p/a.jsonl")))
	if ok, err := read("a"); ok || err != nil {
		t.Errorf("deleted: got %v, %v", ok, err)
	}
}

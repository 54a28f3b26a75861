package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage"
)

func TestLimits(t *testing.T) {
	windows := []limits.Window{
		{Name: limits.FiveHours, Source: string(counters.NewSourceLabels(map[string]string{"user": "ann"})), Used: 0.75, Resets: now.Add(150 * time.Minute)},
		{Name: limits.SevenDays, Used: 0.5, Resets: now.Add(84 * time.Hour)},
		{Name: "spend_limit"},
	}
	l := ledger.New(ledgertest.Options(), started.UnixMilli())
	s := transcripttest.Session{ID: "s", CWD: "/src/web", Start: now.Add(-time.Hour)}
	s.Prompt("go").Reply(transcripttest.Reply{ID: "m", In: 1_000_000, Stop: "end_turn"})
	ledgertest.Add(l, 1, nil, s.String(), now)
	ready := true
	h := Handler(Options{Source: usage.Source{
		History: func() (counters.History, bool) { return l.History(), ready },
		Limits:  func() []limits.Window { return windows },
		Now:     func() time.Time { return now }, Location: func() *time.Location { return time.UTC },
	}})
	const (
		both = `"windows":[` +
			`{"window":"five_hour","labels":{"user":"ann"},"used_ratio":0.75,"resets":"2026-03-02T15:04:56Z","forecast_ratio":1.5,"full":"2026-03-02T13:24:56Z"},` +
			`{"window":"seven_day","used_ratio":0.5,"resets":"2026-03-06T00:34:56Z","forecast_ratio":1},` +
			`{"window":"spend_limit","used_ratio":0}]`
		block = `"block":{"start":"2026-03-02T11:00:00Z","end":"2026-03-02T16:00:00Z","cost_usd":5,"tokens":1000000}}`
	)
	if got := get(h, limits.Path); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), both+","+block) {
		t.Errorf("got %d %s", got.Code, got.Body)
	}
	windows = nil
	if got := get(h, limits.Path); !strings.Contains(got.Body.String(), `"windows":[],"block":`) {
		t.Errorf("without windows: got %s", got.Body)
	}
	if got := get(h, limits.Path+"?since=today"); got.Code != http.StatusBadRequest {
		t.Errorf("with a parameter: got %d", got.Code)
	}
	if ready = false; get(h, limits.Path).Code != http.StatusServiceUnavailable {
		t.Error("there is an answer of a daemon that stops")
	}
}

// A message of a full limit states when the block ends.
func TestBlockEndsWithTheWindow(t *testing.T) {
	const rejected = `{"type":"assistant","uuid":"u","timestamp":"2026-03-02T12:30:00.000Z","isApiErrorMessage":true,"error":"rate_limit",`
	for _, message := range []string{
		rejected + `"message":{"model":"<synthetic>","content":[{"type":"text","text":"You've hit your session limit · resets 4:50pm (Europe/Berlin)"}]}}` + "\n",
		rejected + `"quotaLimits":{"status":"rejected","rateLimitType":"five_hour","resetsAt":1772466600},"message":{"model":"<synthetic>","content":[]}}` + "\n",
	} {
		l := ledger.New(ledgertest.Options(), started.UnixMilli())
		s := transcripttest.Session{ID: "s", CWD: "/src/web", Start: now.Add(-100 * time.Minute)}
		s.Prompt("go").Reply(transcripttest.Reply{ID: "m", In: 1_000_000, Stop: "end_turn"})
		ledgertest.Add(l, 1, nil, s.String()+message, now)
		h := l.History()
		got := NewLimits(nil, &h, now).Block
		if got == nil || got.Start.Format(time.RFC3339) != "2026-03-02T10:50:00Z" || got.End.Format(time.RFC3339) != "2026-03-02T15:50:00Z" || got.Tokens != 1_000_000 {
			t.Errorf("%s: got %+v", message, got)
		}
	}
}

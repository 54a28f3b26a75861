package backfill

import (
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// The history has no unpriced tokens: they may have got a price since.
func TestUnpricedTokens(t *testing.T) {
	l := ledgertest.New(started, nil)
	s := transcripttest.Session{ID: "s", CWD: "/src/web", Start: started.Add(-time.Hour)}
	s.Prompt("go").Reply(transcripttest.Reply{ID: "m", Model: "unheard-of", In: 70, Out: 3, Stop: "end_turn"})
	ledgertest.Add(l, 1, nil, s.String(), started)
	l.Counters().Release(l.Counters().Pending())
	h := l.History()
	o := testOptions()
	o.Until = now
	if _, text := plan(t, FromLedger(h, "1.2.3", now), o); strings.Contains(text, "claude_unpriced_tokens") || !strings.Contains(text, "claude_tokens_total{") {
		t.Errorf("got %s", text)
	}
	for _, p := range Since(h, started.Add(-2*time.Hour).UnixMilli(), now.UnixMilli()) {
		if p.Name == "claude_unpriced_tokens" {
			t.Errorf("got %+v", p)
		}
	}
}

// Neither the totals that Claude Code reports nor the tokens that they are compared
// with have a past, although the tokens count at the times of their lines.
func TestReportedTotals(t *testing.T) {
	l := ledgertest.New(started, nil)
	s := transcripttest.Session{ID: "s", CWD: "/src/web", Start: started.Add(-time.Hour)}
	s.Prompt("go").Raw(`{"type":"cost-state","sessionId":"s","modelUsage":{"opus":{"inputTokens":90}}}`).
		Reply(transcripttest.Reply{ID: "m", In: 70, Out: 3, Stop: "end_turn"})
	ledgertest.Add(l, 1, nil, s.String(), started)
	l.Counters().Release(l.Counters().Pending())
	o := testOptions()
	o.Until = now
	p, text := plan(t, FromLedger(l.History(), "1.2.3", now), o)
	if strings.Contains(text, "claude_reported_") || !strings.Contains(text, "claude_tokens_total{") {
		t.Errorf("got %s", text)
	}
	if !p.Scraped {
		t.Error("the plan does not end after the first possible scrape")
	}
	if got := receive(t, p); len(got.samples) != p.Series {
		t.Errorf("%d series were sent, want %d as planned", len(got.samples), p.Series)
	}
}

package explain

import (
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// request returns a request at a time in seconds, which reads and writes tokens at half
// a dollar and 6.25 dollars for a million.
func request(at int64, part string, read, written uint64) ledger.CountedRequest {
	return ledger.CountedRequest{
		When: at * 1000, Project: part, Model: "claude-opus-4-6",
		Usage: transcript.Usage{CacheRead: read, CacheWrite5m: written},
		Cost:  pricing.Cost{CacheRead: read * 500, CacheWrite5m: written * 6250},
	}
}

func find(t *testing.T, s Session, kind Kind, name string) Fact {
	t.Helper()
	for _, f := range s.Facts {
		if f.Kind == kind && f.Name == name {
			return f
		}
	}
	t.Fatalf("there is no fact %s %s: %+v", kind, name, s.Facts)
	return Fact{}
}

// The facts of a session, calculated by hand.
func TestOfSession(t *testing.T) {
	miss := request(40, ledger.MainPart, 0, 150_000)
	miss.Cache = ledger.CacheUse{Result: "miss", Reason: "idle_expired", Rewritten: 140_000, RewrittenNanoUSD: 140_000 * 5750}
	d := &ledger.SessionDetail{
		History: ledgertest.New(time.Now(), nil).History(),
		Requests: []ledger.CountedRequest{
			request(10, ledger.MainPart, 0, 20_000),
			request(15, "agent-1", 0, 40_000),
			request(20, ledger.MainPart, 20_000, 100_000),
			request(30, ledger.MainPart, 120_000, 10_000),
			miss,
			request(60, ledger.MainPart, 10_000, 10_000), // compacted
		},
		Results: []ledger.SessionResult{{When: 12_000, Tool: "Read", Bytes: 200_000}, {When: 25_000, Tool: "mcp__db__query", Bytes: 400_000}, {When: 50_000, Tool: "Read", Bytes: 4000}},
		Agents:  []ledger.SessionAgent{{Name: "agent-1"}},
	}
	s, err := OfSession(d)
	if err != nil {
		t.Fatal(err)
	}
	if s.PeakContext != 150_000 || s.MeanContext != 88_000 {
		t.Errorf("got the contexts %d and %d", s.PeakContext, s.MeanContext)
	}
	// Requests of 120k, 130k and 150k: 0.635, 0.1225 and 0.9375 dollars.
	if f := find(t, s, LargeContext, ""); f.Requests != 3 || !near(f.CostUSD, 1.695) || f.Text != "3 requests of more than 100k tokens cost $1.70 (largest 150k, mean 88k)." {
		t.Errorf("got %+v", f)
	}
	if f := find(t, s, Rewritten, "idle_expired"); f.Requests != 1 || f.Tokens != 140_000 || !near(f.CostUSD, 0.805) {
		t.Errorf("got %+v", f)
	}
	// 50k tokens are written once, and read by two requests before the compaction.
	if f := find(t, s, ToolResults, "Read"); f.Tokens != 50_000 || !near(f.CostUSD, 50_000*(6.25+2*0.5)/1e6) || !strings.HasPrefix(f.Text, "2 results of Read added about 50k tokens") {
		t.Errorf("got %+v", f)
	}
	// 100k tokens by size, but the context grew by 10k only.
	if f := find(t, s, ToolResults, "mcp__db__query"); f.Tokens != 10_000 || !near(f.CostUSD, 10_000*(6.25+0.5)/1e6) {
		t.Errorf("got %+v", f)
	}
	if empty, err := OfSession(&ledger.SessionDetail{History: d.History}); err != nil || len(empty.Facts) > 0 || empty.PeakContext != 0 {
		t.Errorf("of an empty session: got %+v, %v", empty, err)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

package web

import (
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// made returns a session of a number of requests, each a second and a thousand tokens
// after the other, of which every tenth is a miss.
func made(n int) *ledger.SessionDetail {
	d := new(ledger.SessionDetail)
	for i := range n {
		r := ledger.CountedRequest{When: int64(i) * 1000, Project: ledger.MainPart, Usage: transcript.Usage{CacheRead: uint64(i+1) * 1000}}
		if i%10 == 9 {
			r.Cache = ledger.CacheUse{Result: "miss", Reason: "model_change", Rewritten: uint64(i), RewrittenNanoUSD: uint64(i) * 1e7}
		}
		d.Requests = append(d.Requests, r)
	}
	return d
}

// Bars stand for the same number of requests, and compactions are between them.
func TestContextChart(t *testing.T) {
	d := made(600)
	d.Compactions = []ledger.SessionCompaction{{When: 299_500, Trigger: "manual", Before: 300_000}, {When: 1e6, Trigger: "auto"}}
	c := newContextChart(d, time.UTC)
	if len(c.Bars) != maxContextBars || len(c.Marks) != 1 || c.Marks[0] != (mark{"50.00%", "manual compaction, Thu 1 Jan 00:04, of 300k tokens"}) {
		t.Errorf("got %d bars, marks %v", len(c.Bars), c.Marks)
	}
	if first, last := c.Bars[0], c.Bars[len(c.Bars)-1]; first.Title != "Thu 1 Jan 00:00: 5.0k tokens" || last.Title != "Thu 1 Jan 00:09: 600k tokens" || last.Total != "10.0" {
		t.Errorf("got the bars %+v and %+v", first, last)
	}
	if want := "Bars of 600 requests of the main conversation, the largest of 600k tokens, with 1 compaction."; c.About != want {
		t.Errorf("got %q", c.About)
	}
	if c := newContextChart(made(3), time.UTC); len(c.Bars) != 3 || c.Bars[2].Width != "7.00%" {
		t.Errorf("a short session has the bars %v", c.Bars)
	}
	if newContextChart(new(ledger.SessionDetail), time.UTC) != nil {
		t.Error("a session without requests has a chart")
	}
}

// The largest misses are listed, by time.
func TestMisses(t *testing.T) {
	misses, more := newMisses(made(700), time.UTC)
	if len(misses) != maxMisses || more != 20 || misses[0].Tokens != 209 || misses[49] != (cacheMiss{"1 Jan 00:11", "Main conversation", "Model changed", 699, 6.99}) {
		t.Errorf("got %d misses and %d more: %v", len(misses), more, misses)
	}
}

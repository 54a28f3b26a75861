package report

import (
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/explain"
)

func TestWriteExplanation(t *testing.T) {
	cost := 12.5
	facts := []explain.Fact{
		{Text: "3 requests of more than 200k tokens cost $4.10, 62 % of the session (largest 612k, mean 244k).", Advice: "/clear between tasks, or /compact earlier: every request sends the whole context."},
		{Text: "2 results of \x1b[31mRead added about 50k tokens to the context: about $0.02 to send them with each later request."},
	}
	e := &api.Explanation{
		Since: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), CostUSD: &cost, Facts: facts, Unpriced: 9,
		Sessions: []api.ExplainedSession{
			{Session: api.Session{ID: "0b6c1f2e-1111-4111-8111-000000000001", Project: "web", CostUSD: &cost, First: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}, Explained: &explain.Session{PeakContext: 612_000, MeanContext: 244_000, CostUSD: 40, Facts: facts}},
			{Session: api.Session{ID: "s2", Project: "a\nb"}, Missing: "its transcripts do not exist any more"},
			{Session: api.Session{ID: "s3", Project: "app"}, Explained: new(explain.Session)},
		},
	}
	var b strings.Builder
	if err := WriteExplanation(&b, e, time.UTC, Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	difftest.Golden(t, "testdata/explanation.txt", b.String())
	b.Reset()
	if err := WriteExplanation(&b, &api.Explanation{CostUSD: new(float64)}, time.UTC, Options{Width: 80}); err != nil || b.String() != "$0.00\nNothing that is worth a cent.\n" {
		t.Errorf("without usage: got %q, %v", b.String(), err)
	}
}

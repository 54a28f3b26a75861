package ledger

import (
	"math"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// countedFamilies are the families whose increases sessions record, with the index of
// the count; tokens have one by type.
var countedFamilies = map[string]int{
	"claude_requests_total": sessionRequests, "claude_cost_usd_total": sessionCost, "claude_unpriced_tokens": sessionUnpriced,
	"claude_tool_calls_total": sessionToolCalls, "claude_tool_errors_total": sessionToolErrors, "claude_prompts_total": sessionPrompts,
}

var countedTokens = map[string]int{
	"input": sessionInput, "output": sessionOutput, "cache_read": sessionCacheRead,
	"cache_write_5m": sessionCacheWrite5m, "cache_write_1h": sessionCacheWrite1h,
}

// historySince returns by how much the counters grew since a time.
func historySince(l *Ledger, since int64) (n sessionCounts) {
	h := l.History()
	for _, f := range h.Families {
		for i := range f.Series {
			index, ok := countedFamilies[f.Family.Name]
			if f.Family.Name == "claude_tokens_total" {
				index, ok = countedTokens[f.Series[i].Labels[0]]
			}
			for in := range f.Series[i].All() {
				if ok && in.Start >= since {
					n[index] += in.Value
				}
			}
		}
	}
	return n
}

// usedSince returns what all sessions used since a time.
func usedSince(l *Ledger, since int64) (n sessionCounts) {
	for session, t := range l.sessions.totals.All() {
		for start, counts := range l.sessions.intervals(session, &t) {
			if start >= since {
				n = n.plus(counts)
			}
		}
	}
	return n
}

// What sessions used since any time is by how much the counters grew since then,
// in whatever order their lines were read.
func TestSessionIntervalsAddUp(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	parts := 0
	for seed := range seeds() {
		l := newReplayer(seed, 0).readInOrder(math.MaxInt32, afterFiles)
		all := historySince(l, 0)
		times := make(map[int64]bool) // beginnings of intervals
		for session, t := range l.sessions.totals.All() {
			for start := range l.sessions.intervals(session, &t) {
				times[start] = true
			}
		}
		for since := range times {
			got, want := usedSince(l, since), historySince(l, since)
			if got != want {
				t.Fatalf("seed %d: since %d: sessions used %d, want %d", seed, since, got, want)
			}
			if want != all && want != (sessionCounts{}) {
				parts++
			}
		}
	}
	if parts == 0 {
		t.Error("no time is within the usage")
	}
}

// A query counts what a session used since its time, and not what it used before: by
// the half hour.
func TestSessionsSince(t *testing.T) {
	now := millis(t, "2026-05-01T12:00:00Z")
	l := New(testOptions(), birth)
	f := testFile(1, "a.jsonl")
	l.Open(f)
	l.AddBatch(batchOf(f, now, sessionLine("a", "29", answerOf("m1", 10, 2, stopped)),
		sessionLine("a", "59", answerOf("m3", 40, 2, stopped)), sessionLine("a", "31", answerOf("m2", 20, 2, stopped))))
	l.Settle()
	record := l.SessionRecord(10, now)
	for at, want := range map[string]uint64{"10:00": 70, "10:01": 60, "10:30": 60, "10:31": 0, "09:00": 70} {
		q := SessionQuery{Limit: 10, Since: millis(t, "2026-05-01T"+at+":00Z")}
		for name, list := range map[string]SessionList{"ledger": l.SessionList(q, now), "record": record.Select(q)} {
			if len(list.Sessions) != 1 || list.Sessions[0].Input != want || list.Since != q.Since {
				t.Errorf("%s: since %s: got %+v, want %d input tokens", name, at, list, want)
			}
		}
	}
}

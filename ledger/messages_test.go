package ledger

import (
	"fmt"
	"math"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

func TestGrowTo(t *testing.T) {
	type usage = transcript.Usage
	const huge = 1 << 40
	all := usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite5m: 4, CacheWrite1h: 5, Thinking: 6, WebSearches: 7, WebFetches: 8}
	for _, tt := range []struct {
		name       string
		have, more usage
		want       usage // by how much it grows
	}{
		{"nothing", usage{}, usage{}, usage{}},
		{"all", usage{}, all, all},
		{"only increases", usage{Input: 10, Output: 1, CacheRead: 5}, usage{Input: 4, Output: 9, CacheRead: 5}, usage{Output: 8}},
		{"writes move to 1h", usage{CacheWrite5m: 100}, usage{CacheWrite1h: 100}, usage{}},
		{"writes move to 5m", usage{CacheWrite1h: 100}, usage{CacheWrite5m: 100}, usage{}},
		{"writes move and grow", usage{CacheWrite5m: 100}, usage{CacheWrite1h: 130}, usage{CacheWrite1h: 30}},
		{"both writes grow", usage{CacheWrite5m: 10, CacheWrite1h: 10}, usage{CacheWrite5m: 15, CacheWrite1h: 12}, usage{CacheWrite5m: 5, CacheWrite1h: 2}},
		{"writes fall", usage{CacheWrite5m: 10, CacheWrite1h: 10}, usage{CacheWrite5m: 15}, usage{}},
		{"more than fits", usage{Input: huge, WebSearches: huge}, usage{Input: 2 * huge, WebSearches: 2 * huge}, usage{}},
		{"grows to more than fits", usage{Input: 1}, usage{Input: huge}, usage{Input: huge - 1}},
		{"more writes than fit", usage{CacheWrite5m: 5, CacheWrite1h: huge}, usage{CacheWrite5m: 5, CacheWrite1h: huge}, usage{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m countedMessage
			m.growTo(tt.have)
			if got := m.growTo(tt.more); got != tt.want {
				t.Errorf("grew by %+v, want %+v", got, tt.want)
			}
			if got := m.growTo(tt.more); got != (usage{}) {
				t.Errorf("grew again by %+v", got)
			}
		})
	}
}

// Counters do not overflow, whatever numbers a line makes up.
func TestCountersStopAtTheTop(t *testing.T) {
	l := New(testOptions(), birth)
	f := testFile(1, "a.jsonl")
	l.Open(f)
	var last uint64
	for i := range 2100 {
		l.AddBatch(batchOf(f, birth, fmt.Sprintf(`{"type":"assistant","message":{"id":"%d","model":"m","stop_reason":"end_turn","usage":{"output_tokens":%d}}}`, i, uint64(1)<<53)))
		l.Settle()
		if now := value(l, "claude_tokens_total"); now < last {
			t.Fatalf("the counter fell from %d to %d", last, now)
		} else {
			last = now
		}
	}
	if last != math.MaxUint64 {
		t.Errorf("got %d, want the largest number", last)
	}
}

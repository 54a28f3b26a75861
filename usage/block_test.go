package usage

import (
	"fmt"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
)

// requestsAt returns the record of requests at times of the day of now (UTC), or of
// another day of the month.
func requestsAt(t *testing.T, times ...string) *counters.History {
	t.Helper()
	var all []request
	for _, at := range times {
		if len(at) == len("15:04") {
			at = "20T" + at
		}
		all = append(all, request{at: fmt.Sprintf("2026-11-%s:00Z", at), project: "web", model: "opus", input: 1_000_000})
	}
	return recordOf(t, all...)
}

func TestCurrentBlock(t *testing.T) {
	for _, test := range []struct {
		name  string
		times []string
		start string // empty for none
		usd   float64
	}{
		{"no request", nil, "", 0},
		{"the hour of the first request", []string{"08:55", "11:59"}, "08:00", 10},
		{"over after five hours", []string{"06:59"}, "", 0},
		{"its last minute", []string{"07:00"}, "07:00", 5},
		{"after a gap", []string{"19T22:10", "07:40"}, "07:00", 5},
		{"after the end of the block before", []string{"03:30", "07:50", "08:10", "10:00"}, "08:00", 10},
		{"a chain of blocks", []string{"19T21:50", "02:20", "06:30", "07:10", "11:20"}, "07:00", 10},
	} {
		b, ok := CurrentBlock(requestsAt(t, test.times...), now.Add(-time.Minute))
		if !ok && test.start == "" {
			continue
		}
		if got := b.Start.Format("15:04"); !ok || got != test.start || b.End.Sub(b.Start) != 5*time.Hour || b.Usage.Total.USD() != test.usd {
			t.Errorf("%s: got %s to %s, $%g, %v", test.name, got, b.End.Format("15:04"), b.Usage.Total.USD(), ok)
		}
	}
}

// Sources with different labels are different accounts.
func TestCurrentBlockOfAccounts(t *testing.T) {
	mine := request{at: "2026-11-20T11:00:00Z", project: "web", model: "opus", user: "ann", input: 1}
	other := mine
	if _, ok := CurrentBlock(recordOf(t, mine, other), now); !ok {
		t.Error("there is no block of one account")
	}
	other.user = "bob"
	if _, ok := CurrentBlock(recordOf(t, mine, other), now); ok {
		t.Error("there is a block of two accounts")
	}
}

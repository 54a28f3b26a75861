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
		b, ok := CurrentBlock(requestsAt(t, test.times...), now.Add(-time.Minute), nil)
		if !ok && test.start == "" {
			continue
		}
		if got := b.Start.Format("15:04"); !ok || got != test.start || b.End.Sub(b.Start) != 5*time.Hour || b.Usage.Total.USD() != test.usd {
			t.Errorf("%s: got %s to %s, $%g, %v", test.name, got, b.End.Format("15:04"), b.Usage.Total.USD(), ok)
		}
	}
}

// The stated end of a window is the end of the block. What a status line states, and
// what an error states, have the same effect.
func TestCurrentBlockWithStatedEnd(t *testing.T) {
	for _, test := range []struct {
		name       string
		times      []string
		stated     string
		start, end string // empty for none
		usd        float64
	}{
		{"ends between full hours", []string{"06:55", "07:10"}, "12:20", "07:20", "12:20", 0},
		{"the estimated block is over", []string{"06:55", "08:10"}, "11:59", "06:59", "11:59", 5},
		{"requests before and after the beginning", []string{"06:30", "09:55", "11:30"}, "13:40", "08:40", "13:40", 10},
		{"from yesterday", []string{"19T20:10", "19T23:59"}, "00:20", "", "", 0},
		{"over", []string{"08:10", "11:10"}, "10:50", "11:00", "16:00", 5},
		{"over within the hour of the next request", []string{"08:10", "10:40", "10:55"}, "10:50", "10:50", "15:50", 5},
		{"over without another request", []string{"08:10", "10:40"}, "10:50", "", "", 0},
		{"longer than a block ahead", []string{"08:10"}, "17:30", "08:00", "13:00", 5},
	} {
		end, err := time.Parse("2006-01-02T15:04", "2026-11-20T"+test.stated)
		if err != nil {
			t.Fatal(err)
		}
		h := requestsAt(t, test.times...)
		source, _ := account(h)
		other := counters.NewSourceLabels(map[string]string{"user": "bob"})
		stated := func(at time.Time) map[counters.SourceLabels]time.Time {
			return map[counters.SourceLabels]time.Time{source: at, other: now.Add(time.Minute)}
		}
		hit := *h
		hit.Gauges = []counters.FamilyHistory{{
			Family: &counters.Family{Name: "claude_limit_hit_reset_timestamp_seconds"},
			Series: []counters.SeriesHistory{
				{Sample: counters.Sample{Source: source, Labels: []string{"seven_day"}, Value: uint64(end.Add(time.Hour).UnixMilli())}},
				{Sample: counters.Sample{Source: source, Labels: []string{"five_hour"}, Value: uint64(end.UnixMilli())}},
				{Sample: counters.Sample{Source: other, Labels: []string{"five_hour"}, Value: uint64(end.Add(time.Hour).UnixMilli())}},
			},
		}}
		for source, block := range map[string]func() (Block, bool){
			"a status line": func() (Block, bool) { return CurrentBlock(h, now.Add(-2*time.Minute), stated(end)) },
			"an error":      func() (Block, bool) { return CurrentBlock(&hit, now.Add(-2*time.Minute), nil) },
			"both": func() (Block, bool) {
				return CurrentBlock(&hit, now.Add(-2*time.Minute), stated(end.Add(-5*time.Hour)))
			},
		} {
			b, ok := block()
			start, end := b.Start.Format("15:04"), b.End.Format("15:04")
			if !ok && test.start == "" {
				continue
			}
			if !ok || start != test.start || end != test.end || b.Usage.Total.USD() != test.usd {
				t.Errorf("%s, from %s: got %s to %s, $%g, %v", test.name, source, start, end, b.Usage.Total.USD(), ok)
			}
		}
	}
}

// Sources with different labels are different accounts.
func TestCurrentBlockOfAccounts(t *testing.T) {
	mine := request{at: "2026-11-20T11:00:00Z", project: "web", model: "opus", user: "ann", input: 1}
	other := mine
	if _, ok := CurrentBlock(recordOf(t, mine, other), now, nil); !ok {
		t.Error("there is no block of one account")
	}
	other.user = "bob"
	if _, ok := CurrentBlock(recordOf(t, mine, other), now, nil); ok {
		t.Error("there is a block of two accounts")
	}
}

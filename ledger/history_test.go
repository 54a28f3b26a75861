package ledger

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// The increases of every series add up to its value, whatever happens.
func TestHistoryAddsUp(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	for seed := range uint64(60) {
		r := newReplayer(seed, seed)
		l := New(testOptions(), birth)
		for i, s := range r.randomSteps(200) {
			s(l)
			if i%20 == 0 {
				if message := misfit(l, allDated); message != "" {
					t.Fatalf("seed %d, step %d: %s", seed, i, message)
				}
			}
		}
		if message := misfit(reopened(t, l), allDated); message != "" {
			t.Fatalf("seed %d: reopened: %s", seed, message)
		}
	}
}

const (
	fineMillis = 5 * 60 * 1000
	perHour    = 12 // intervals of five minutes
)

// How much of a series its increases may leave out.
type undated bool

const (
	allDated    undated = false
	withUndated undated = true
)

// misfit describes a series whose increases are not in order, are more than its value,
// or do not add up to it unless there may be an undated remainder.
func misfit(l *Ledger, rest undated) string {
	h := l.History()
	for _, f := range h.Families {
		for i := range f.Series {
			s := &f.Series[i]
			value, total, end := uint64(0), uint64(0), int64(0)
			for _, in := range s.Increases() {
				length := int64(fineMillis)
				if in.Start < h.FineFrom {
					length *= perHour
				}
				if in.Start < end || in.End-in.Start != length || in.Start%length != 0 || in.Value == 0 && in.Sum == 0 ||
					in.Value > s.Value-min(s.Value, value) || in.Sum > s.Sum-min(s.Sum, total) {
					return fmt.Sprint(f.Family.Name, s.Labels, in)
				}
				value, total, end = value+in.Value, total+in.Sum, in.End
			}
			if rest == allDated && (value < s.Value || total < s.Sum) {
				return fmt.Sprint(f.Family.Name, s.Labels, value, total, s.Value, s.Sum)
			}
		}
	}
	return ""
}

// A history that was copied stays as it is.
func TestHistoryIsACopy(t *testing.T) {
	r := newReplayer(3, 3)
	l := New(testOptions(), birth)
	var copies []counters.History
	var want []string
	text := func(h *counters.History) string {
		var b strings.Builder
		for _, f := range h.Families {
			for i := range f.Series {
				s := &f.Series[i]
				fmt.Fprintln(&b, f.Family.Name, s.Labels, s.Source, s.Value, s.Sum, s.Created, s.Hidden, s.Increases())
			}
		}
		return b.String()
	}
	for i, s := range r.withScrapes(r.randomSteps(200)) {
		s(l)
		if i%10 == 0 {
			h := l.History()
			copies, want = append(copies, h), append(want, text(&h))
		}
		if i%25 == 0 {
			encode(l) // merges
		}
	}
	for i := range copies {
		if got := text(&copies[i]); got != want[i] {
			t.Fatalf("copy %d has changed: got\n%s\nwant\n%s", i, got, want[i])
		}
	}
}

// Nothing is recorded while the history is off, and what was recorded is kept.
func TestHistoryOff(t *testing.T) {
	line := func(id, stamp string) string {
		return `{"type":"assistant","timestamp":"` + stamp + `","message":{"id":"` + id + `","model":"opus","stop_reason":"end_turn","usage":{"output_tokens":5}}}`
	}
	l := newWith(line("m1", "2026-05-01T10:00:00.000Z"))
	f, off := testFile(1, "a.jsonl"), testOptions()
	l.Settle()
	fine := l.History().FineFrom
	off.FineHistory = 0
	l.Configure(off)
	l.AddBatch(batchOf(f, birth+300*dayMillis, line("m2", "2026-05-01T11:00:00.000Z")))
	l.Settle()
	if got := l.History(); !got.Off || got.FineFrom != fine {
		t.Errorf("got five minutes from %d, off: %t, want %d as before", got.FineFrom, got.Off, fine)
	}
	l = reopened(t, l)
	l.Configure(testOptions())
	l.AddBatch(batchOf(f, birth, line("m3", "2026-05-01T12:00:00.000Z")))
	l.Settle()
	want := []growth{{millis(t, "2026-05-01T10:00:00Z"), 5}, {millis(t, "2026-05-01T12:00:00Z"), 5}}
	if got, all := growthOf(l, "claude_tokens_total", "output"), value(l, "claude_tokens_total", "output"); all != 15 || !slices.Equal(got, want) {
		t.Errorf("got %d with %v, want 15 with %v", all, got, want)
	}
	if message := misfit(l, withUndated); message != "" {
		t.Error(message)
	}
	if l := New(off, birth); len(l.History().Families) == 0 {
		t.Error("got no families while the history is off")
	}
}

// The boundary is at midnight, so long before the newest batch, and only moves forward.
func TestFineFrom(t *testing.T) {
	o := testOptions()
	o.FineHistory = 3 * dayMillis
	l := New(o, birth)
	l.Open(testFile(1, "a.jsonl"))
	for _, tt := range []struct{ now, want string }{
		{"2026-05-10T00:00:00Z", "2026-05-07T00:00:00Z"},
		{"2026-05-10T23:59:59Z", "2026-05-07T00:00:00Z"},
		{"2026-05-11T00:00:00Z", "2026-05-08T00:00:00Z"},
		{"2026-05-09T00:00:00Z", "2026-05-08T00:00:00Z"},
		{"2038-01-20T00:00:00Z", "2038-01-17T00:00:00Z"}, // a wrong clock
		{"2026-05-12T00:00:00Z", "2026-05-09T00:00:00Z"},
	} {
		l.AddBatch(&Batch{File: 1, Now: millis(t, tt.now)})
		if got, want := l.History().FineFrom, millis(t, tt.want); got != want {
			t.Errorf("at %s: got %d, want %d", tt.now, got, want)
		}
		if l = reopened(t, l); l.History().FineFrom != millis(t, tt.want) {
			t.Errorf("at %s: reopened: got %d", tt.now, l.History().FineFrom)
		}
	}
}

// Forgotten files keep their history, and what repeats them counts again.
func TestForgottenHistory(t *testing.T) {
	l := newWith(prompt("p", "2026-05-01T10:00:00.000Z", "do"))
	before := intervals(l)
	l.Forget([]FileID{1}, birth)
	if d := difference(intervals(l), before); d != "" {
		t.Errorf("forgotten:\n%s", d)
	}
	openWith(l, testFile(2, "a.jsonl"), prompt("p", "2026-05-01T10:00:00.000Z", "do"))
	if got, want := growthOf(l, "claude_prompts_total"), []growth{{millis(t, "2026-05-01T10:00:00Z"), 2}}; !slices.Equal(got, want) {
		t.Errorf("read again: got %v, want %v", got, want)
	}
}

// A gauge has no history, and neither has a family that is not exposed.
func TestHistoryFamilies(t *testing.T) {
	names := func(l *Ledger) (all []string) {
		for _, f := range l.History().Families {
			all = append(all, f.Family.Name)
		}
		return all
	}
	l := newWith(`{"type":"user","timestamp":"2026-05-01T10:00:00.000Z"}`)
	if got := names(l); slices.Contains(got, "claude_last_activity_timestamp_seconds") || slices.Contains(got, "claude_limit_hit_reset_timestamp_seconds") ||
		!slices.Contains(got, "claude_cost_usd_total") || len(got) != len(Families(testOptions()))-2 {
		t.Errorf("got %v", got)
	}
	o := testOptions()
	o.Prices = nil
	l.Configure(o)
	if got := names(l); slices.Contains(got, "claude_cost_usd_total") {
		t.Errorf("without prices: got %v", got)
	}
}

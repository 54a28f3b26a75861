package ledger

import (
	"fmt"
	"slices"
	"testing"
	"time"

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
				if message := misfit(l); message != "" {
					t.Fatalf("seed %d, step %d: %s", seed, i, message)
				}
			}
		}
		if message := misfit(reopened(t, l)); message != "" {
			t.Fatalf("seed %d: reopened: %s", seed, message)
		}
	}
}

const (
	fineMillis = int64(counters.Interval / time.Millisecond)
	perCoarse  = 6 // intervals of five minutes
)

// misfit describes a series whose increases are not in order, or do not add up to its
// value.
func misfit(l *Ledger) string {
	h := l.History()
	for _, f := range h.Families {
		for i := range f.Series {
			s := &f.Series[i]
			value, total, end := uint64(0), uint64(0), int64(0)
			for _, in := range s.Increases() {
				length := fineMillis
				if in.Start < h.FineFrom {
					length *= perCoarse
				}
				if in.Start < end || in.End-in.Start != length || in.Start%length != 0 || in.Value == 0 && in.Sum == 0 ||
					in.Value > s.Value-min(s.Value, value) || in.Sum > s.Sum-min(s.Sum, total) {
					return fmt.Sprint(f.Family.Name, s.Labels, in)
				}
				value, total, end = value+in.Value, total+in.Sum, in.End
			}
			if value < s.Value || total < s.Sum {
				return fmt.Sprint(f.Family.Name, s.Labels, value, total, s.Value, s.Sum)
			}
		}
	}
	return ""
}

// A batch moves the boundary between coarse and fine intervals, and while the
// history is off, nothing is recorded.
func TestHistoryOptions(t *testing.T) {
	o := testOptions()
	o.FineHistory = 3 * dayMillis
	l := New(o, birth)
	openWith(l, testFile(1, "a.jsonl"), prompt("p", "2026-05-01T10:00:00.000Z", "do"))
	boundary := birth - birth%dayMillis - 3*dayMillis
	if got := l.History(); got.FineFrom != boundary || got.Off {
		t.Errorf("got five minutes from %d, off: %t, want %d", got.FineFrom, got.Off, boundary)
	}
	before := intervals(l)
	o.FineHistory = 0
	l.Configure(o)
	l.AddBatch(batchOf(testFile(1, "a.jsonl"), birth+300*dayMillis, prompt("q", "2026-05-01T11:00:00.000Z", "do")))
	if got := l.History(); got.FineFrom != boundary || !got.Off || value(l, "claude_prompts_total") != 2 {
		t.Errorf("got five minutes from %d, off: %t, want %d as before", got.FineFrom, got.Off, boundary)
	}
	if d := difference(intervals(l), before); d != "" {
		t.Errorf("the history is off:\n%s", d)
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

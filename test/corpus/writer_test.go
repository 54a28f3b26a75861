package corpus_test

import (
	"bytes"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// start is when the writers of the tests begin.
var start = time.Date(2026, 11, 5, 9, 0, 0, 0, time.UTC)

// sessions returns what a writer generates: a showcase, and then more sessions.
func sessions(seed uint64, speed float64) [][]corpus.Line {
	w := corpus.NewWriter(seed, 3, start, speed)
	all := w.Showcase(4, start)
	for i := range 12 {
		all = append(all, w.Session(start.Add(time.Duration(i)*time.Minute)))
	}
	return all
}

var timestamp = regexp.MustCompile(`"timestamp":"([-0-9T:.]*Z)"`)

// A line is due at its own timestamp. Only copies have an older one.
func TestLinesAreDueAtTheirTimestamp(t *testing.T) {
	for seed := range uint64(4) {
		var current, stamps int
		for _, session := range sessions(seed, 20) {
			if !slices.IsSortedFunc(session, func(a, b corpus.Line) int { return a.At.Compare(b.At) }) {
				t.Error("lines are not sorted by time")
			}
			for _, line := range session {
				for _, m := range timestamp.FindAllSubmatch(line.Text, -1) {
					at, err := time.Parse(time.RFC3339Nano, string(m[1]))
					if err != nil || at.Before(start) || at.After(line.At) {
						t.Fatalf("a line that is due at %v has the timestamp %s, %v", line.At, m[1], err)
					}
					if stamps++; at.Equal(line.At) {
						current++
					}
				}
			}
		}
		if current < stamps/2 {
			t.Errorf("only %[2]d of %[1]d timestamps are when their lines are due", stamps, current)
		}
	}
}

func TestWriterIsDeterministic(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	one, again, other := sessions(1, 20), sessions(1, 20), sessions(2, 20)
	equal := func(a, b [][]corpus.Line) bool {
		return slices.EqualFunc(a, b, func(a, b []corpus.Line) bool {
			return slices.EqualFunc(a, b, func(a, b corpus.Line) bool {
				return a.At.Equal(b.At) && a.Path == b.Path && bytes.Equal(a.Text, b.Text)
			})
		})
	}
	if !equal(one, again) {
		t.Error("the same seed gives different lines")
	}
	if equal(one, other) {
		t.Error("another seed gives the same lines")
	}
}

// A writer with ten times the speed takes a tenth of the time for the same lines.
func TestSpeed(t *testing.T) {
	slow, fast := sessions(1, 2)[0], sessions(1, 20)[0]
	if len(slow) != len(fast) {
		t.Fatalf("got %d lines, then %d", len(slow), len(fast))
	}
	for i, line := range slow {
		want := line.At.Sub(start) / 10
		if got := fast[i].At.Sub(start); (got - want).Abs() > 2*time.Millisecond {
			t.Fatalf("line %d is due after %v, want %v", i, got, want)
		}
	}
}

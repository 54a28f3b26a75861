package corpus_test

import (
	"bytes"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/corpus"
)

// start is when the authors of the tests begin.
var start = time.Date(2026, 11, 5, 9, 0, 0, 0, time.UTC)

// work is what an author writes: some sessions together, and then some more.
func work(seed uint64, speed float64) [][]corpus.Line {
	a := corpus.NewWriter(seed, 3, start, speed)
	all := a.Showcase(4, start)
	for i := range 12 {
		all = append(all, a.Session(start.Add(time.Duration(i)*time.Minute)))
	}
	return all
}

var timestamp = regexp.MustCompile(`"timestamp":"([-0-9T:.]*Z)"`)

// A line is due when it says that it was written. Only copies are older.
func TestAuthorWritesForNow(t *testing.T) {
	for seed := range uint64(4) {
		var current, stamps int
		for _, session := range work(seed, 20) {
			if !slices.IsSortedFunc(session, func(a, b corpus.Line) int { return a.At.Compare(b.At) }) {
				t.Error("the lines are not in order")
			}
			for _, line := range session {
				for _, m := range timestamp.FindAllSubmatch(line.Text, -1) {
					at, err := time.Parse(time.RFC3339Nano, string(m[1]))
					if err != nil || at.Before(start) || at.After(line.At) {
						t.Fatalf("in a line of %v there is %s, %v", line.At, m[1], err)
					}
					if stamps++; at.Equal(line.At) {
						current++
					}
				}
			}
		}
		if current < stamps/2 {
			t.Errorf("of %d times %d are those of their lines", stamps, current)
		}
	}
}

func TestAuthorGoesByItsSeed(t *testing.T) {
	one, again, other := work(1, 20), work(1, 20), work(2, 20)
	equal := func(a, b [][]corpus.Line) bool {
		return slices.EqualFunc(a, b, func(a, b []corpus.Line) bool {
			return slices.EqualFunc(a, b, func(a, b corpus.Line) bool {
				return a.At.Equal(b.At) && a.Path == b.Path && bytes.Equal(a.Text, b.Text)
			})
		})
	}
	if !equal(one, again) {
		t.Error("the same seed writes something else")
	}
	if equal(one, other) {
		t.Error("another seed writes the same")
	}
}

// Who is ten times as fast takes a tenth of the time for the same.
func TestAuthorsSpeed(t *testing.T) {
	slow, fast := work(1, 2)[0], work(1, 20)[0]
	if len(slow) != len(fast) {
		t.Fatalf("%d lines, and %d", len(slow), len(fast))
	}
	for i, line := range slow {
		want := line.At.Sub(start) / 10
		if got := fast[i].At.Sub(start); (got - want).Abs() > 2*time.Millisecond {
			t.Fatalf("line %d comes after %v, want %v", i, got, want)
		}
	}
}

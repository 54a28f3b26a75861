package transcript

import (
	"reflect"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// A reading is the entries of a line, and the problem with it.
type reading struct {
	Entries []Entry
	Problem Problem
}

// parse parses one line with a new parser and buffer.
func parse(line []byte, first bool) reading {
	var buffer Buffer
	NewParser().Parse(line, first, &buffer)
	got := reading{Entries: buffer.Entries}
	if len(buffer.Problems) > 0 {
		got.Problem = buffer.Problems[0]
	}
	return got
}

// parseOne parses a line that must be exactly one object.
func parseOne(t *testing.T, line string) Entry {
	t.Helper()
	got := parse([]byte(line), false)
	if got.Problem != None || len(got.Entries) != 1 {
		t.Fatalf("parse(%s) = %d entries, problem %q, want one entry", line, len(got.Entries), got.Problem)
	}
	return got.Entries[0]
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n%s", what, difftest.Diff(want, got))
	}
}

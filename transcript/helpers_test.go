package transcript

import (
	"reflect"
	"testing"
)

// A reading is what could be read of a line, and what is wrong with it.
type reading struct {
	Entries []Entry
	Problem Problem
}

// parse reads one line onto a page of its own.
func parse(line []byte, first bool) reading {
	var page Buffer
	NewParser().Parse(line, first, &page)
	said := reading{Entries: page.Entries}
	if len(page.Problems) > 0 {
		said.Problem = page.Problems[0]
	}
	return said
}

// parseTail does the same with a line that has no end.
func parseTail(line []byte, first bool) (Entry, bool) {
	var page Buffer
	if !NewParser().ParseTail(line, first, &page) {
		return Entry{}, false
	}
	return page.Entries[0], true
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
		t.Errorf("%s = %+v, want %+v", what, got, want)
	}
}

package transcript

import (
	"reflect"
	"testing"
)

// parseOne parses a line that must be exactly one object.
func parseOne(t *testing.T, line string) Entry {
	t.Helper()
	got := Parse([]byte(line), false)
	if got.Problem != None || len(got.Entries) != 1 {
		t.Fatalf("Parse(%s) = %d entries, problem %q, want one entry", line, len(got.Entries), got.Problem)
	}
	return got.Entries[0]
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s = %+v, want %+v", what, got, want)
	}
}

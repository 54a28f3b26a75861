package transcript

import (
	"encoding/json"
	"slices"
	"testing"
)

// FuzzParse compares Parse and ParseTail with the reference decoder for any line.
func FuzzParse(f *testing.F) {
	for _, line := range oddLines() {
		f.Add([]byte(line), false)
	}
	for _, line := range fixtureLines(f) {
		f.Add(line, true)
		f.Add(line, false)
	}
	c := newComparer()
	f.Fuzz(func(t *testing.T, line []byte, first bool) {
		c.compare(t, line, first)
		got := parse(line, first)
		checkAgainstJSON(t, trim(line, first), got)
		for i := range got.Entries {
			checkEntry(t, &got.Entries[i])
		}
	})
}

// FuzzMarkedLine compares the results of parsing a line with and without marks.
func FuzzMarkedLine(f *testing.F) {
	for _, line := range oddLines() {
		f.Add([]byte(line))
	}
	for _, line := range fixtureLines(f) {
		f.Add(line)
	}
	c := newComparer()
	f.Fuzz(func(t *testing.T, line []byte) {
		var buffer Buffer
		p := NewParser()
		p.marker.enabled = false
		p.Parse(line, false, &buffer)
		want := reading{Entries: buffer.Entries}
		for _, problem := range buffer.Problems {
			want.Problem += problem
		}
		c.check(t, "marked line", line, false, parse(line, false), want)
	})
}

func checkAgainstJSON(t *testing.T, line []byte, got reading) {
	t.Helper()
	valid := json.Valid(line)
	switch {
	case len(line) == 0:
		equal(t, "blank line", got, reading{})
	case valid && line[0] == '{':
		equal(t, "problem of an object", got.Problem, None)
		equal(t, "entries of an object", len(got.Entries), 1)
	case valid:
		equal(t, "other value", got, reading{Problem: NotObject})
	case !slices.Contains([]Problem{Glued, Torn, Garbage, UTF16}, got.Problem):
		t.Errorf("problem of invalid JSON = %q", got.Problem)
	default:
		equal(t, "garbage has no entries", len(got.Entries) == 0, got.Problem == Garbage || got.Problem == UTF16)
	}
}

// checkEntry checks the invariants of every entry.
func checkEntry(t *testing.T, e *Entry) {
	t.Helper()
	if e.Type != Unknown && !slices.Contains(Types, e.Type) {
		t.Errorf("type = %q", e.Type)
	}
	for i, item := range e.Unknown {
		if !slices.Contains(UnknownKinds, item.Kind) || slices.Contains(e.Unknown[:i], item) ||
			item.Name != NotIdentifier && !refIdentifier.MatchString(item.Name) {
			t.Errorf("unknown = %q", e.Unknown)
		}
	}
	if len(e.Unknown) > maxUnknown*len(UnknownKinds) {
		t.Errorf("%d unknown items are listed", len(e.Unknown))
	}
	for _, label := range labels(e) {
		if Clean(label) != label {
			t.Errorf("label %q is not clean", label)
		}
	}
	for _, r := range e.Results {
		if r.Key.IsZero() || r.Error != slices.Contains(ErrorReasons, r.Reason) {
			t.Errorf("result = %+v", r)
		}
	}
	if p := e.Prompt; p != nil && (p.TextKey.IsZero() || p.Kind != Interruption && !slices.Contains(PromptKinds, p.Kind)) {
		t.Errorf("prompt = %+v", *p)
	}
	e.AssignKeys(func() Key { return KeyOf("position") })
	if e.needsUUID() && e.UUID.IsZero() || e.Message != nil && e.Message.Key.IsZero() ||
		slices.ContainsFunc(e.Uses, func(u ToolUse) bool { return u.Key.IsZero() }) {
		t.Error("entry has a zero key after AssignKeys")
	}
}

func labels(e *Entry) []string {
	var out []string
	if m := e.Message; m != nil {
		out = append(out, m.Model, m.StopReason)
		for _, i := range m.Iterations {
			out = append(out, i.Model)
		}
	}
	for _, r := range e.Reported {
		out = append(out, r.Model)
	}
	for _, u := range e.Uses {
		out = append(out, u.Name, u.MCPServer)
	}
	if e.Prompt != nil {
		out = append(out, e.Prompt.Name)
	}
	if e.APIError != nil {
		out = append(out, e.APIError.Class, e.APIError.Status)
	}
	if e.LimitHit != nil {
		out = append(out, e.LimitHit.Window)
	}
	for _, f := range e.Facts {
		out = append(out, f.Name)
	}
	if e.Compaction != nil {
		out = append(out, e.Compaction.Trigger)
	}
	return out
}

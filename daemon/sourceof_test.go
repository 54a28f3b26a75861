package daemon

import (
	"path/filepath"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/follow"
)

// A file belongs to the first source that contains it.
func TestSourceOf(t *testing.T) {
	var d Daemon
	dir := t.TempDir()
	if got := d.SourceOf(dir); got != "" {
		t.Errorf("before the start: got %q", got)
	}
	ann, bob := filepath.Join(dir, "ann"), filepath.Join(dir, "bob")
	d.sources.Store(&[]follow.Source{{Path: ann, Labels: map[string]string{"user": "ann"}}, {Path: bob, Labels: map[string]string{"user": "bob"}}})
	for path, want := range map[string]map[string]string{
		filepath.Join(bob, "p", "s.jsonl"):              {"user": "bob"},
		filepath.Join(ann, "..", "bob", "s.jsonl"):      {"user": "bob"},
		filepath.Join(dir, "annabel", "s.jsonl"):        nil,
		filepath.Join(ann, "..", "..", "..", "s.jsonl"): nil,
		"s.jsonl": nil,
		"":        nil,
	} {
		if got := d.SourceOf(path); got != counters.NewSourceLabels(want) {
			t.Errorf("%s: got %q, want %v", path, got, want)
		}
	}
}

func TestHasSource(t *testing.T) {
	var d Daemon
	ann, bob := map[string]string{"user": "ann"}, map[string]string{"user": "bob"}
	if d.HasSource(counters.NewSourceLabels(ann)) {
		t.Error("before the start: got a source")
	}
	d.sources.Store(&[]follow.Source{{Path: "/ann", Labels: ann}})
	if !d.HasSource(counters.NewSourceLabels(ann)) || d.HasSource(counters.NewSourceLabels(bob)) {
		t.Error("want the source of ann alone")
	}
}

package ledger

import (
	"bytes"
	"testing"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// Unknown names in a transcript are not written to the journal, and counting from the
// journal gives the same result.
func TestBatchLeavesOutUnknownNames(t *testing.T) {
	f := testFile(1, "a.jsonl")
	b := batchOf(f, birth, `{"type":"hush-type"}`, `{"type":"assistant","message":{"usage":{"hush_key":1,"hush_more":2},"stop_reason":"hush_stop"}}`)
	if len(b.Entries[0].Unknown) != 1 || len(b.Entries[1].Unknown) != 3 {
		t.Fatalf("got unknown items %v and %v, want 1 and 3", b.Entries[0].Unknown, b.Entries[1].Unknown)
	}
	b.Entries[1].Message = nil // its stop reason is a label
	c := codec.NewWriter(nil)
	b.Code(c)
	if bytes.Contains(c.Bytes(), []byte("hush")) {
		t.Errorf("the journal contains names: %q", c.Bytes())
	}
	var again Batch
	if again.Code(codec.NewReader(c.Bytes())); len(again.Entries) != 2 {
		t.Fatalf("got %d entries, want 2", len(again.Entries))
	}
	for name, batch := range map[string]*Batch{"as read": b, "from the journal": &again} {
		l := New(testOptions(), birth)
		l.Open(f)
		l.AddBatch(batch)
		releaseAll(l)
		unknown := func(family *Family) bool { return family.Name == "ccwatchd_unknown_format_total" }
		want := `ccwatchd_unknown_format_total{kind="metadata_type"} 1` + "\n" +
			`ccwatchd_unknown_format_total{kind="stop_reason"} 1` + "\n" +
			`ccwatchd_unknown_format_total{kind="usage_key"} 1` + "\n"
		if got := exposition(l.Snapshot(birth), unknown, false); got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
	}
}

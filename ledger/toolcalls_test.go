package ledger

import (
	"bytes"
	"fmt"
	"testing"
)

// The results without a call in a file are counted in their order, after a restart too.
func TestOrphansAreCountedInOrder(t *testing.T) {
	l := New(testOptions(), birth)
	f := testFile(1, "a.jsonl")
	l.Open(f)
	for i := range 20 {
		l.AddBatch(batchOf(f, birth, fmt.Sprintf(`{"type":"user","cwd":"/p/%d","message":{"content":[`+
			`{"type":"tool_result","tool_use_id":"t%[1]d","is_error":true,"content":"x"}]}}`, i)))
		if i == 10 {
			l = reopened(t, l)
		}
	}
	again := reopened(t, l)
	l.FinalizeFile(f.ID, birth)
	again.FinalizeFile(f.ID, birth)
	for i, s := range samplesOf(again, "claude_tool_errors_total") {
		if want := fmt.Sprint(i); s.Labels[3] != want {
			t.Errorf("result %s: got one of project %s", want, s.Labels[3])
		}
	}
	if value(l, "claude_tool_errors_total") != 20 || !bytes.Equal(canonical(t, l), canonical(t, again)) {
		t.Error("the reopened ledger differs")
	}
}

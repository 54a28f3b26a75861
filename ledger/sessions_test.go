package ledger

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/difftest"
)

func TestLiveSessions(t *testing.T) {
	const minute = 60_000
	now := millis(t, "2026-05-01T10:10:00Z")
	line := func(kind, session, at, model string, in int) string {
		return fmt.Sprintf(`{"type":"assistant","isSidechain":%v,"timestamp":"2026-05-01T10:%s:00Z","sessionId":%q,"cwd":"/p/%s",`+
			`"message":{"id":"%s%d","model":%q,"stop_reason":"end_turn","usage":{"input_tokens":%d,"cache_read_input_tokens":5,"output_tokens":1}}}`,
			kind == "side", at, session, session, session, in, model, in)
	}
	o := testOptions()
	o.Limits["model"] = 1
	l := New(o, birth)
	main, agent := testFile(1, "a.jsonl"), testFile(2, "agent-1.jsonl")
	l.Open(main)
	l.Open(agent)
	l.AddBatch(batchOf(main, now,
		line("main", "old", "01", "opus", 10), line("main", "a", "06", "opus", 20), line("main", "a", "08", "opus", 30),
		line("side", "a", "08", "opus", 1000), line("main", "b", "09", "haiku", 40), line("main", "a", "07", "opus", 0)))
	l.AddBatch(batchOf(agent, now, line("main", "a", "08", "opus", 2000), line("main", "c", "08", "opus", 2000)))
	at := func(clock string) int64 { return millis(t, "2026-05-01T10:"+clock+":00Z") }
	want := []Session{
		{ID: "b", Project: "b", Model: "haiku", Context: 45, Last: at("09")},
		{ID: "a", Project: "a", Model: "opus", Context: 35, Last: at("08")}, // not from the older line read last
		{ID: "c", Project: "c", Last: at("08")},
	}
	if got := l.Snapshot(now).Live; !reflect.DeepEqual(got, want) {
		t.Errorf("live sessions:\n%s", difftest.Diff(want, got))
	}

	// Only counted values add to a label and its overflows, gauges do not.
	if n := value(l, "ccwatchd_label_overflow_total"); n != 0 {
		t.Errorf("got %d overflows before anything was counted", n)
	}
	l.Settle()
	want[0].Model = counters.Other
	if got := l.Snapshot(now).Live; !reflect.DeepEqual(got, want) || value(l, "ccwatchd_label_overflow_total") != 1 {
		t.Errorf("live sessions after Settle:\n%s", difftest.Diff(want, got))
	}

	// Ids are not saved: they come from NameSession or from a line.
	l = reopened(t, l)
	l.NameSession(SessionID{ID: "a"})
	l.NameSession(SessionID{ID: "unknown"})
	l.AddBatch(batchOf(testFile(1, "a.jsonl"), now+minute, line("main", "b", "10", "haiku", 41)))
	want = []Session{
		{ID: "b", Project: "b", Model: counters.Other, Context: 46, Last: at("10")},
		{ID: "a", Project: "a", Model: "opus", Context: 35, Last: at("08")},
		{ID: "", Project: "c", Last: at("08")},
	}
	if got := l.Snapshot(now + minute).Live; !reflect.DeepEqual(got, want) {
		t.Errorf("live sessions reopened:\n%s", difftest.Diff(want, got))
	}

	if got := l.Snapshot(now + 5*minute); len(got.Live) != 1 || len(got.Active) != 1 || got.Active[0].Sessions != 1 {
		t.Errorf("five minutes later: got %+v", got)
	}
	if l.Sessions() != 3 || l.LastActivity() != at("10") {
		t.Errorf("got %d sessions, last active at %d", l.Sessions(), l.LastActivity())
	}
}

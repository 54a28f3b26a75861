package ledger

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A fork of an old session starts, for the list of sessions and for the history, when
// its first line that is no copy was written, whichever file is read first.
func TestForkStarts(t *testing.T) {
	const old, made = "2026-05-01T10:00:0", "2026-05-08T10:00:0"
	line := func(session, typ, id, at, more string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":"u%s","timestamp":"%sZ","sessionId":%q,"cwd":"/p/web",%s`+
			`"message":{"id":"message_of_a_genuine_%s","model":"opus","content":"%s","stop_reason":"end_turn","usage":{"input_tokens":1}}}`,
			typ, id, at, session, more, id, id)
	}
	copies := func(session, more string) []string {
		return []string{line(session, "user", "1", old+"1", more), line(session, "assistant", "2", old+"2", more)}
	}
	own := func(session string) []string {
		return []string{line(session, "user", session+"3", made+"3", ""), line(session, "assistant", session+"4", made+"4", "")}
	}
	queued := fmt.Sprintf(`{"type":"queue-operation","operation":"enqueue","timestamp":"%s2Z","sessionId":"print"}`, made)
	files := map[string][]string{
		"parent": copies("parent", ""),
		"branch": slices.Concat(copies("branch", `"forkedFrom":{"sessionId":"parent"},`), own("branch")),
		"print":  slices.Concat([]string{queued}, copies("print", ""), own("print")),
		"only":   copies("only", `"forkedFrom":{"sessionId":"parent"},`),
	}
	first := map[string]string{"parent": old + "1", "branch": made + "3", "print": made + "3"}
	for _, order := range []string{"parent branch print only", "only print branch parent", "branch parent only print"} {
		l := New(testOptions(), birth)
		for i, name := range strings.Fields(order) {
			openWith(l, testFile(FileID(i+1), name+".jsonl"), files[name]...)
			l = reopened(t, l)
			l.FinalizeFile(FileID(i+1), birth)
		}
		for name := range files {
			want := int64(0)
			if first[name] != "" {
				want = millis(t, first[name]+"Z")
			}
			l.NameSession(name)
			list := l.SessionList(SessionQuery{Limit: 1, ID: name}, birth)
			if len(list.Sessions) != 1 || list.Sessions[0].First != want {
				t.Errorf("%s: got %s %+v, want it to start at %d", order, name, list.Sessions, want)
			}
		}
		sessions := make(map[int64]uint64)
		for _, f := range l.History().Families {
			for i := range f.Series {
				for _, in := range f.Series[i].Increases() {
					if f.Family.Name == "claude_sessions_total" {
						sessions[dayOf(in.Start)] += in.Value
					}
				}
			}
		}
		if a, b := sessions[dayOf(millis(t, old+"1Z"))], sessions[dayOf(millis(t, made+"3Z"))]; a != 2 || b != 2 {
			t.Errorf("%s: got %d sessions on the day of the parent, and %d a week later, want two each", order, a, b)
		}
	}
}

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
			l.NameSession(SessionID{ID: name})
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

// What a fork has copied counts for its parent. That is not listed and not live before
// a line of its own was read.
func TestUnreadParentIsNotListed(t *testing.T) {
	l := New(testOptions(), birth)
	at := millis(t, "2026-05-01T10:04:00Z")
	check := func(what string, want ...string) {
		t.Helper()
		l.Settle()
		l = reopened(t, l)
		for _, name := range []string{"parent", "fork"} {
			l.NameSession(SessionID{ID: name})
		}
		list, s, active, ids := l.SessionList(everySession, at), l.Snapshot(at), 0, []string(nil)
		for _, a := range s.Active {
			active += a.Sessions
		}
		for _, one := range list.Sessions {
			ids = append(ids, one.ID)
		}
		if !slices.Equal(ids, want) || list.Live != len(want) || active != len(want) || len(s.Live) != len(want) {
			t.Errorf("%s: got %s in the list, %d live in it, %d active, %d in the snapshot, want %s", what, ids, list.Live, active, len(s.Live), want)
		}
	}
	openWith(l, testFile(1, "fork.jsonl"),
		sessionLine("fork", "01", answerOf("m1", 1, 1, stopped)+`,"requestSessionId":"parent"`),
		sessionLine("fork", "02", answerOf("m2", 1, 1, stopped)))
	check("fork", "fork")
	openWith(l, testFile(2, "parent.jsonl"), sessionLine("parent", "01", answerOf("m1", 1, 1, stopped)), sessionLine("parent", "03", asked))
	check("parent", "parent", "fork")
	if got := listed(l, at)["parent"]; got.Requests != 1 || got.Prompts != 1 || got.First != millis(t, "2026-05-01T10:01:00Z") {
		t.Errorf("got %+v", got)
	}
}

// An own line can have the time of the last copy. A prompt that another session had at
// the same time is no copy after a prompt of the session's own.
func TestStartOfSession(t *testing.T) {
	const other = `"type":"user","message":{"role":"user","content":"more"}`
	l := New(testOptions(), birth)
	openWith(l, testFile(1, "a.jsonl"), sessionLine("a", "01", asked), sessionLine("a", "05", other))
	openWith(l, testFile(2, "b.jsonl"), sessionLine("b", "02", asked), sessionLine("b", "05", other), sessionLine("b", "06", answerOf("m1", 1, 1, stopped)))
	openWith(l, testFile(3, "c.jsonl"), sessionLine("c", "03", asked+`,"forkedFrom":{"sessionId":"a"}`), sessionLine("c", "03", answerOf("m2", 1, 1, stopped)))
	for name, minute := range map[string]string{"a": "01", "b": "02", "c": "03"} {
		if got, want := listed(l, birth)[name].First, millis(t, "2026-05-01T10:"+minute+":00Z"); got != want {
			t.Errorf("%s starts at %d, want %d", name, got, want)
		}
	}
}

// A session starts where it did before if its lines are read again, in any order.
func TestStartOfSessionReadAgain(t *testing.T) {
	const next = `"type":"user","message":{"role":"user","content":"go on"}`
	shown := `,"forkedFrom":{"sessionId":"parent"}`
	files := map[string][]string{
		"parent": {sessionLine("parent", "01", asked), sessionLine("parent", "02", answerOf("m1", 1, 1, stopped))},
		// By their texts: copies have their own uuids.
		"fork": {
			sessionLine("fork", "01", asked), sessionLine("fork", "02", answerOf("m1", 1, 1, stopped)),
			sessionLine("fork", "05", next), sessionLine("fork", "06", answerOf("m2", 1, 1, stopped)),
		},
		"unused": {sessionLine("unused", "01", asked), sessionLine("unused", "02", answerOf("m1", 1, 1, stopped))},
		"branch": {
			sessionLine("branch", "01", asked+shown), sessionLine("branch", "02", answerOf("m1", 1, 1, stopped)+shown),
			sessionLine("branch", "07", next), sessionLine("branch", "08", answerOf("m3", 1, 1, stopped)),
		},
	}
	for _, test := range []struct{ order, starts string }{
		{"parent fork unused branch", "parent=1 fork=5 unused=0 branch=7"},
		// The texts are no evidence if the holder of them shows itself that it is a fork.
		{"branch parent fork unused", "parent=1 fork=1 unused=1 branch=7"},
	} {
		l := New(testOptions(), birth)
		starts := func() string {
			var all []string
			for _, name := range []string{"parent", "fork", "unused", "branch"} {
				all = append(all, fmt.Sprintf("%s=%d", name, max(0, listed(l, birth)[name].First-millis(t, "2026-05-01T10:00:00Z"))/60_000))
			}
			return strings.Join(all, " ")
		}
		ids := make(map[string]FileID)
		for i, name := range strings.Fields(test.order) {
			ids[name] = FileID(i)
			openWith(l, testFile(ids[name], name+".jsonl"), files[name]...)
		}
		if got := starts(); got != test.starts {
			t.Errorf("%s: got %s, want %s", test.order, got, test.starts)
		}
		for _, id := range ids {
			l.Reset(id, Requested, birth)
		}
		l = reopened(t, l)
		for _, name := range []string{"parent", "fork", "unused", "branch"} {
			openWith(l, testFile(ids[name], name+".jsonl"), files[name]...)
		}
		if got := starts(); got != test.starts {
			t.Errorf("%s, read again: got %s, want %s", test.order, got, test.starts)
		}
	}
}

package ledger

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// newOfSessions returns a ledger with sessions of one line each, a minute apart, in one
// of two projects, and the time of the last line.
func newOfSessions(n int) (l *Ledger, now int64) {
	l = New(testOptions(), birth)
	f := testFile(1, "a.jsonl")
	l.Open(f)
	for i := range n {
		now = birth + int64(i)*60_000
		e := sessionEntry(fmt.Sprint(i), now)
		e.Project = fmt.Sprint("p", i%2)
		l.AddBatch(&Batch{File: f.ID, Now: now, Entries: []transcript.Entry{e}})
	}
	l.Settle()
	return l, now
}

func sessionEntry(id string, at int64) transcript.Entry {
	return transcript.Entry{
		Type: "user", Time: at, SessionID: id, Session: transcript.KeyOf("session", id), HasProject: true,
	}
}

func ids(list SessionList) (all []string) {
	for _, s := range list.Sessions {
		all = append(all, s.ID)
	}
	return all
}

// A query selects the most recently active sessions, from a ledger as from a list.
func TestSessionQuery(t *testing.T) {
	l, now := newOfSessions(6)
	all := l.SessionRecord(everySession.Limit, now)
	for _, tt := range []struct {
		query SessionQuery
		want  []string
	}{
		{SessionQuery{Limit: 10}, []string{"5", "4", "3", "2", "1", "0"}},
		{SessionQuery{Limit: 2}, []string{"5", "4"}},
		{SessionQuery{Limit: 0}, nil},
		{SessionQuery{Limit: 10, Since: now - 60_000}, []string{"5", "4"}},
		{SessionQuery{Limit: 10, Project: "p0"}, []string{"4", "2", "0"}},
		{SessionQuery{Limit: 1, Since: now - 240_000, Project: "p1"}, []string{"5"}},
		{SessionQuery{Limit: 1, Project: "none"}, nil},
	} {
		for name, got := range map[string]SessionList{"ledger": l.SessionList(tt.query, now), "list": all.Select(tt.query)} {
			if !slices.Equal(ids(got), tt.want) {
				t.Errorf("%s: %+v: got %q, want %q", name, tt.query, ids(got), tt.want)
			}
		}
	}
}

// Metadata before the first directory of a file does not change the project of a
// session.
func TestMetadataKeepsProject(t *testing.T) {
	l, now := newOfSessions(1)
	l.Open(testFile(2, "b.jsonl"))
	e := sessionEntry("0", now+1)
	e.Type, e.HasProject = "queue-operation", false
	l.AddBatch(&Batch{File: 2, Now: now + 1, Entries: []transcript.Entry{e}})
	list := l.SessionList(everySession, now+1)
	if s := list.Sessions[0]; s.Project != "p0" || s.Last != now+1 {
		t.Errorf("got project %q, last line %d", s.Project, s.Last)
	}
}

// The list marks the sessions that the gauges show as live.
func TestSessionListIsLive(t *testing.T) {
	l, now := newOfSessions(20)
	list := l.SessionList(everySession, now)
	snapshot := l.Snapshot(now)
	live := 0
	for _, s := range list.Sessions {
		if s.Live {
			live++
		}
	}
	active := 0
	for _, a := range snapshot.Active {
		active += a.Sessions
	}
	if live != active || list.Live != active || live != 6 || !list.Priced || list.Time != now {
		t.Errorf("got %d live sessions, %d in total, want %d", live, list.Live, active)
	}
	o := testOptions()
	o.Prices = nil
	if l.Configure(o); l.SessionList(everySession, now).Priced {
		t.Error("got costs without prices")
	}
}

// The ids of sessions are kept while they are among the newest, however many there are.
func TestSessionNames(t *testing.T) {
	named := maxNames
	l, now := newOfSessions(3 * named)
	got := ids(l.SessionList(SessionQuery{Limit: named}, now))
	for i, id := range got {
		if want := fmt.Sprint(3*named - 1 - i); id != want {
			t.Fatalf("%d: got id %q, want %q", i, id, want)
		}
	}
	if len(l.sessions.names) > 2*named {
		t.Errorf("got %d ids", len(l.sessions.names))
	}
	// After a restart the ids come from the names of files.
	l = reopened(t, l)
	for i := range 3 * named {
		l.NameSession(SessionID{ID: fmt.Sprint(i)})
		l.NameSession(SessionID{ID: fmt.Sprint("unknown ", i)})
	}
	if again := ids(l.SessionList(SessionQuery{Limit: named}, now)); !slices.Equal(again, got) {
		t.Errorf("got other ids after a restart")
	}
	l.AddBatch(&Batch{File: 1, Now: now + dayMillis}) // no session is live any more
	if l.Forget([]FileID{1}, now+dayMillis); len(l.sessions.names) > 0 {
		t.Errorf("got %d ids of sessions that were forgotten", len(l.sessions.names))
	}
}

// A session is listed with the context of its latest request, counted or not.
func TestSessionListContext(t *testing.T) {
	now := millis(t, "2026-05-01T10:03:00Z")
	l := New(testOptions(), birth)
	f := testFile(1, "a.jsonl")
	l.Open(f)
	l.AddBatch(batchOf(f, now, sessionLine("a", "01", answerOf("m1", 10, 2, stopped))))
	l.Settle()
	l.AddBatch(batchOf(f, now, sessionLine("a", "02", answerOf("m2", 20, 2, "")))) // not counted yet
	for _, tt := range []struct{ at, context int64 }{{now, 32}, {now + 600_000, 32}} {
		s := listed(l, tt.at)["a"]
		if s.Context != uint64(tt.context) || s.Model != "opus" || s.Requests != 1 {
			t.Errorf("at %d: got %+v, want context %d", tt.at, s, tt.context)
		}
	}
}

package ledger

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// inSession returns a batch with a line of a session.
func inSession(id string, at, now int64) *Batch {
	return &Batch{File: 1, Now: now, Entries: []transcript.Entry{{
		Type: "user", Time: at, SessionID: id, Session: transcript.KeyOf("session", id), Project: "web", HasProject: true,
	}}}
}

// A session that has ended is not live until its next line, or until it runs again.
func TestEndedSessionIsNotLive(t *testing.T) {
	l := New(testOptions(), birth)
	l.Open(testFile(1, "a.jsonl"))
	now := int64(birth)
	check := func(what string, want int) {
		t.Helper()
		for range 2 {
			active, snapshot, list := 0, l.Snapshot(now), l.SessionList(everySession, now)
			for _, a := range snapshot.Active {
				active += a.Sessions
			}
			marked := slices.ContainsFunc(list.Sessions, func(s SessionTotals) bool { return s.ID == "s" && s.Live })
			if active != want || len(snapshot.Live) != want || list.Live != want || marked != (want == 2) || len(list.Sessions) != 2 {
				t.Errorf("%s: got %d active, %d in the snapshot, %d and %v in the list, want %d", what, active, len(snapshot.Live), list.Live, marked, want)
			}
			l = reopened(t, l)
			l.NameSession(SessionID{ID: "s"})
		}
	}
	add := func(typ string, at int64) {
		now = max(now, at)
		b := inSession("s", at, now)
		b.Entries[0].Type = typ
		l.AddBatch(b)
	}
	l.AddBatch(inSession("other", birth, birth))
	add("user", birth)
	check("begun", 2)
	l.MarkEnded(SessionID{ID: "s"}, birth+1000)
	l.MarkEnded(SessionID{ID: "unknown"}, birth+1000)
	check("ended", 1)
	add("cost-state", 0)
	add("last-prompt", birth+900)
	check("late lines", 1)
	l.MarkEnded(SessionID{ID: "s"}, 0)
	check("runs again", 2)
	l.MarkEnded(SessionID{ID: "s"}, birth+1000)
	add("user", birth+2000)
	check("goes on", 2)
	add("continued-in", 0)
	check("continued elsewhere", 1)
	add("user", birth+3000)
	check("resumed", 2)
}

// All live sessions are counted, and a snapshot has the newest: four times as many as
// may be shown, and at least a thousand.
func TestLiveSessionsAreBounded(t *testing.T) {
	const many = 3000
	for _, tt := range []struct{ shown, kept int }{{0, 1000}, {200, 1000}, {500, 2000}, {-1, 1000}} {
		t.Run(fmt.Sprint(tt.shown), func(t *testing.T) {
			o := testOptions()
			o.MaxSessions = tt.shown
			l := New(o, birth)
			l.Open(testFile(1, "a.jsonl"))
			for i := range int64(many) {
				l.AddBatch(inSession(fmt.Sprint(i), birth+i, birth+i))
			}
			for range 2 {
				got := l.Snapshot(birth + many)
				want := []Active{{Project: "web", Sessions: many}}
				if !slices.Equal(got.Active, want) || len(got.Live) != tt.kept {
					t.Fatalf("got %v active and %d in the snapshot, want %v and %d", got.Active, len(got.Live), want, tt.kept)
				}
				if last := got.Live[tt.kept-1].Last; last != birth+int64(many-tt.kept) {
					t.Errorf("the oldest session in the snapshot is from %d", last-birth)
				}
				l = reopened(t, l)
			}
			later := birth + many - 1 + o.ActiveFor
			l.AddBatch(inSession("late", later, later))
			if got := l.Snapshot(later); len(got.Live) != 2 || len(got.Active) != 1 || got.Active[0].Sessions != 2 {
				t.Errorf("got %d live sessions and %v active, want 2: one is exactly as old as it may be", len(got.Live), got.Active)
			}
		})
	}
}

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

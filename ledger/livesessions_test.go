package ledger

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// inSession returns a batch with a line of a session.
func inSession(id string, at, now int64) *Batch {
	return &Batch{File: 1, Now: now, Entries: []transcript.Entry{{
		Type: "progress", Time: at, SessionID: id, Session: transcript.KeyOf("session", id), Project: "web", HasProject: true,
	}}}
}

// All live sessions are counted, and details are kept of the newest: four times as many
// as may be shown, and at least a thousand.
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
				if !slices.Equal(got.Active, want) || len(got.Live) != tt.kept || l.sessions.details.Len() != tt.kept {
					t.Fatalf("got %v active and %d with details, want %v and %d", got.Active, len(got.Live), want, tt.kept)
				}
				if last := got.Live[tt.kept-1].Last; last != birth+int64(many-tt.kept) {
					t.Errorf("the oldest session with details is from %d", last-birth)
				}
				l = reopened(t, l)
			}
			later := birth + many - 1 + o.ActiveFor
			l.AddBatch(inSession("late", later, later))
			if got := l.Snapshot(later); l.sessions.active.Len() != 2 || l.sessions.details.Len() != 2 || len(got.Live) != 2 { // one is exactly as old as a live session may be
				t.Errorf("got %d active and %d with details, want 2", l.sessions.active.Len(), l.sessions.details.Len())
			}
			if n := len(l.sessions.expiring) + len(l.sessions.evicting); n != 4 || cap(l.sessions.expiring) > 4*minDetails {
				t.Errorf("got %d in the queues, with capacity %d", n, cap(l.sessions.expiring))
			}
		})
	}
}

// Details are kept of the sessions with the newest lines, as a search for the oldest of
// all each time determines them. Snapshots and restarts make no difference.
func TestNewestSessionsAreKept(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	l := New(testOptions(), birth)
	l.Open(testFile(1, "a.jsonl"))
	last, kept := make(map[string]int64), make(map[string]bool)
	ageOf := func(id string) int64 { return last[id] }
	now := int64(birth)
	for range 5_000 {
		now += r.Int64N(300)
		id, at := fmt.Sprint(r.IntN(3000)), now-r.Int64N(60_000)
		if r.IntN(4) > 0 { // most lines are of some sessions
			id = fmt.Sprint(r.IntN(1200))
		}
		l.AddBatch(inSession(id, at, now))
		for old, seen := range last {
			if now-seen > l.opts.ActiveFor {
				delete(last, old)
				delete(kept, old)
			}
		}
		last[id], kept[id] = max(last[id], at), true
		if len(kept) > minDetails {
			oldest := id
			for one := range kept {
				a, b := hashOf(transcript.KeyOf("session", one)), hashOf(transcript.KeyOf("session", oldest))
				if ageOf(one) < ageOf(oldest) || ageOf(one) == ageOf(oldest) && a < b {
					oldest = one
				}
			}
			delete(kept, oldest)
		}
		switch r.IntN(500) {
		case 0:
			l = reopened(t, l)
		case 1:
			l.Snapshot(now + r.Int64N(1_000_000))
		}
	}
	if l.sessions.active.Len() != len(last) || l.sessions.details.Len() != len(kept) || len(kept) != minDetails {
		t.Fatalf("got %d active and %d with details, want %d and %d", l.sessions.active.Len(), l.sessions.details.Len(), len(last), len(kept))
	}
	for id := range kept {
		if !l.sessions.details.Has(hashOf(transcript.KeyOf("session", id))) {
			t.Errorf("session %s has no details", id)
		}
	}
	if again := reopened(t, l); !reflect.DeepEqual(encode(again), encode(l)) {
		t.Error("the reopened ledger differs")
	}
}

// A session whose details were dropped gets them again with its next line. A long id is
// cut.
func TestLiveSessionComesBack(t *testing.T) {
	l := New(testOptions(), birth)
	f := testFile(1, "a.jsonl")
	l.Open(f)
	long := strings.Repeat("x", 1000)
	l.AddBatch(inSession(long, birth, birth))
	for i := range int64(minDetails) {
		l.AddBatch(inSession(fmt.Sprint(i), birth+1+i, birth+1+i))
	}
	at := int64(birth + 2*minDetails)
	b := inSession(long, at, at)
	b.Entries[0].Message = &transcript.Message{Key: transcript.KeyOf("m"), Model: "opus", Usage: transcript.Usage{Input: 7}}
	l.AddBatch(b)
	want := Session{ID: long[:128], Project: "web", Model: "opus", Context: 7, Last: at}
	if got := l.Snapshot(at).Live; got[0] != want || len(got) != minDetails {
		t.Errorf("of %d sessions: got newest %+v, want %+v", len(got), got[0], want)
	}
}

package state

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
)

// While the counters are paused, the sessions are those of the moment of the pause.
func TestSessionsWhilePaused(t *testing.T) {
	s := New(ledgertest.Options(), func() time.Time { return time.UnixMilli(testTime) })
	s.Open(ledger.File{ID: 1}, [8]byte{}, tailer.ID{}, 0)
	read := func(id string) {
		line := `{"type":"assistant","sessionId":"s","timestamp":"2026-03-01T10:00:00Z","cwd":"/p","message":{"id":"` + id +
			`","model":"opus","stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":1}}}`
		s.AddBatch(batchOf(1, []string{line}), tailer.Fingerprint{}, 0, true)
	}
	query := ledger.SessionQuery{Limit: 5}
	read("a")
	before := s.Sessions(query)
	if len(before.Sessions) != 1 || before.Sessions[0].Requests != 1 {
		t.Fatalf("got %+v, want one session with a request", before)
	}
	s.Pause(errors.New("full"))
	read("b")
	if got := s.Sessions(query); !reflect.DeepEqual(got, before) {
		t.Errorf("got %+v, want %+v", got, before)
	}
	if got := s.Sessions(ledger.SessionQuery{Limit: 5, Project: "other"}); len(got.Sessions) != 0 {
		t.Errorf("got %+v of another project", got.Sessions)
	}
	if _, _, err := s.Encode(func() (uint64, error) { return 1, nil }); err != nil {
		t.Fatal(err)
	}
	if s.Saved(); s.Sessions(query).Sessions[0].Requests != 2 {
		t.Errorf("got %+v, want 2 requests", s.Sessions(query).Sessions)
	}
}

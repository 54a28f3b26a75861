package ledger

import (
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A query sorts the sessions by their use in its time, before its limit, and from a
// ledger as from a list. Without use in a time that has an end, a session is not
// selected.
func TestSessionsInTime(t *testing.T) {
	now := millis(t, "2026-05-01T12:00:00Z")
	l := New(testOptions(), birth)
	add := func(id FileID, user, session, minute string, tokens int) {
		f := testFile(id, session+".jsonl")
		f.Source = counters.NewSourceLabels(map[string]string{"user": user})
		l.Open(f)
		l.AddBatch(batchOf(f, now, sessionLine(session, minute, answerOf(session+minute, tokens, 2, stopped))))
	}
	add(1, "ann", "a", "01", 100)
	add(2, "ann", "b", "10", 10)
	add(3, "bob", "c", "20", 50)
	add(1, "ann", "a", "40", 20)
	add(4, "bob", "d", "50", 30)
	l.Settle()
	all := l.SessionRecord(10, now)
	at := func(clock string) int64 { return millis(t, "2026-05-01T"+clock+":00Z") }
	ofBob := func(s *Session) bool { return s.Source.Labels()["user"] == "bob" }
	for _, tt := range []struct {
		name  string
		query SessionQuery
		want  string
		input uint64 // of the first session
		left  SessionSum
	}{
		{"by time", SessionQuery{Limit: 9}, "dacb", 30, SessionSum{}},
		{"by tokens", SessionQuery{Limit: 9, Sort: SortByTokens}, "acdb", 120, SessionSum{}},
		{"by cost", SessionQuery{Limit: 2, Sort: SortByCost}, "ac", 120, SessionSum{2, 68, 392_500, 0}},
		{"until", SessionQuery{Limit: 9, Until: at("10:30")}, "acb", 100, SessionSum{}},
		{"until, by tokens", SessionQuery{Limit: 2, Until: at("10:30"), Sort: SortByTokens}, "ac", 100, SessionSum{1, 24, 146_250, 0}},
		{"since", SessionQuery{Limit: 9, Since: at("10:30"), Sort: SortByTokens}, "da", 30, SessionSum{}},
		{"a time without use", SessionQuery{Limit: 9, Since: at("09:00"), Until: at("10:00")}, "", 0, SessionSum{}},
		{"of a user", SessionQuery{Limit: 1, Where: ofBob}, "d", 30, SessionSum{}},
		{"of a user, by cost", SessionQuery{Limit: 1, Where: ofBob, Sort: SortByCost}, "c", 50, SessionSum{1, 44, 246_250, 0}},
	} {
		for from, list := range map[string]SessionList{"ledger": l.SessionList(tt.query, now), "record": all.Select(tt.query)} {
			got := ""
			for _, s := range list.Sessions {
				got += s.ID
			}
			if list.LeftOut != tt.left && tt.query.Sort != SortByTime {
				t.Errorf("%s: %s: %+v are left out, want %+v", from, tt.name, list.LeftOut, tt.left)
			}
			if got != tt.want || got != "" && list.Sessions[0].Input != tt.input {
				t.Errorf("%s: %s: got %s with %+v, want %s", from, tt.name, got, list.Sessions, tt.want)
			}
		}
	}
}

// The beginning of an id selects all sessions with it, unless a session has it as its
// id, or it is short.
func TestSessionPrefix(t *testing.T) {
	l := New(testOptions(), birth)
	for i, id := range []string{"0123456789", "0123456700", "01234567", "89abcdef-0000"} {
		f := testFile(FileID(i+1), id+".jsonl")
		f.Source = counters.NewSourceLabels(map[string]string{"user": []string{"ann", "bob"}[i%2]})
		l.Open(f)
		l.AddBatch(&Batch{File: f.ID, Now: birth, Entries: []transcript.Entry{sessionEntry(id, birth-int64(i))}})
	}
	l.Settle()
	all := l.SessionRecord(10, birth)
	bob := counters.NewSourceLabels(map[string]string{"user": "bob"})
	for _, tt := range []struct {
		id     string
		source SourceLabels
		want   []string
	}{
		{"01234567", "", []string{"01234567"}},
		{"012345678", "", []string{"0123456789"}},
		{"0123456", "", nil},
		{"89abcdef", "", []string{"89abcdef-0000"}},
		{"89abcdef", bob, []string{"89abcdef-0000"}},
		{"012345678", bob, nil},
		{"none of them", "", nil},
	} {
		q := SessionQuery{Limit: 10, ID: tt.id, Source: tt.source}
		for from, list := range map[string]SessionList{"ledger": l.SessionList(q, birth), "record": all.Select(q)} {
			if got := ids(list); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %s: got %q, want %q", from, tt.id, got, tt.want)
			}
		}
	}
	// Without the exact id there are two.
	l.Forget([]FileID{3}, birth)
	if got := ids(l.SessionList(SessionQuery{Limit: 10, ID: "01234567"}, birth)); len(got) != 2 {
		t.Errorf("got %q, want two sessions", got)
	}
}

// Nothing was deleted since the oldest last line, of the source whose is the newest.
func TestSessionsComplete(t *testing.T) {
	l := New(testOptions(), birth)
	asked := everySession
	asked.Complete = true
	if got := l.SessionList(asked, birth).Complete; got != 0 {
		t.Errorf("without sessions: got %d", got)
	}
	for i, at := range []int64{300, 100, 400, 200} {
		f := testFile(FileID(i+1), "x.jsonl")
		f.Source = counters.NewSourceLabels(map[string]string{"user": []string{"ann", "bob"}[i%2]})
		l.Open(f)
		l.AddBatch(inFile(f.ID, string(rune('a'+i)), birth-1000+at))
	}
	if got := l.SessionList(asked, birth).Complete; got != birth-700 {
		t.Errorf("got %d, want the time of ann", got)
	}
	record := l.SessionRecord(10, birth)
	if got := record.Select(asked).Complete; got != birth-700 {
		t.Errorf("a record: got %d, want the time of ann", got)
	}
	for name, list := range map[string]SessionList{"ledger": l.SessionList(everySession, birth), "record": record.Select(everySession)} {
		if list.Complete != 0 {
			t.Errorf("%s: not asked for: got %d", name, list.Complete)
		}
	}
}

func inFile(id FileID, session string, at int64) *Batch {
	return &Batch{File: id, Now: birth, Entries: []transcript.Entry{sessionEntry(session, at)}}
}

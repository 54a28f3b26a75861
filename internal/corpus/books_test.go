package corpus

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// recently returns a session of the last version.
func recently(seed uint64) *session {
	w := newWorld(seed)
	e := &w.eras[len(w.eras)-1]
	return w.newSession(e, e.versions[len(e.versions)-1], &newProjects(w.dice, 1)[0])
}

// total adds up a metric over some of its labels.
func (b *books) total(metric, label string) (n int64) {
	for s, v := range b.totals {
		if s.metric == metric && strings.Contains(s.labels, label) {
			n += v
		}
	}
	return n
}

// Equal operations that follow each other are several. A copy of the file has the
// same ones.
func TestQueueOperationsAreCountedByTheirPlace(t *testing.T) {
	s := recently(1)
	for _, name := range []string{"enqueue", "enqueue", "remove", "enqueue"} { // the last one is the first again
		s.operation(name, nil)
	}
	s.pass(1)
	s.operation("enqueue", nil)
	s.duplicate()
	if enqueued, removed := s.books.total("queue_operations", "enqueue"), s.books.total("queue_operations", "remove"); enqueued != 3 || removed != 1 {
		t.Errorf("%d and %d operations, want 3 and 1", enqueued, removed)
	}
	if n := s.books.total("entries", "queue-operation"); n != 10 {
		t.Errorf("%d lines, want 10", n)
	}
}

// Of what a session reports the highest counts, and each session once.
func TestHighestReportCounts(t *testing.T) {
	b := newBooks()
	for _, r := range []struct {
		session, field string
		value          float64
	}{
		{"a", "inputTokens", 5}, {"a", "inputTokens", 3}, {"a", "inputTokens", 7.9}, {"b", "inputTokens", 2},
		{"a", "costUSD", .1 + .2}, {"a", "costUSD", .0000000015},
	} {
		b.reported(reportKey{r.session, "opus", r.field}, r.value)
		b.reportedSession(r.session)
	}
	if tokens, cost := b.total("reported", "field=inputTokens"), b.total("reported", "field=costUSD"); tokens != 9 || cost != 300_000_000 {
		t.Errorf("%d tokens and %d billionths of a dollar, want 9 and 300000000", tokens, cost)
	}
	if n := b.total("reported_sessions", ""); n != 2 {
		t.Errorf("%d sessions, want 2", n)
	}
}

// What the transcripts show of sessions that report is exactly that: those of others,
// and requests that are not counted, are no part of it.
func TestSeenOfReportedSessions(t *testing.T) {
	s := recently(2)
	for _, s.reports = range []bool{true, false} {
		s.compactOnServer()
		s.fallBack()
		s.conclude()
	}
	var want int64
	for _, m := range slices.Compact(slices.DeleteFunc(messagesOf(s), func(m *message) bool { return m == nil }))[:3] {
		want += int64(m.usage.input)
		for _, it := range m.usage.iterations {
			if it.kind == "compaction" || it.kind == "advisor_message" {
				want += int64(it.input)
			}
		}
	}
	if got := s.books.total("reported_seen_tokens", "type=input"); got != want || want == 0 {
		t.Errorf("%d input tokens, want %d", got, want)
	}
}

func messagesOf(s *session) (all []*message) {
	for i := range s.marks {
		all = append(all, s.marks[i].said)
	}
	return all
}

// A clone holds what has a second key only where that is asked for, and what is
// counted by its uuid alone never.
func TestClone(t *testing.T) {
	for _, all := range []bool{false, true} {
		s := recently(3)
		s.cloneAll = all
		s.turn()
		s.apiError(&apiFailures[len(apiFailures)-1])
		s.clone()
		s.duration(s.now)
		s.compact("manual")
		before := s.books.total("turn_durations_count", "") + s.books.total("compactions", "") + s.books.total("api_errors", "")
		s.clone()
		f := s.files[len(s.files)-1]
		has := func(subtype string) bool { return bytes.Contains(f.b, []byte(`"subtype":"`+subtype+`"`)) }
		if has("turn_duration") != all || has("compact_boundary") != all || bytes.Contains(f.b, []byte("isApiErrorMessage")) {
			t.Errorf("with all of it %v, there is\n%s", all, f.b)
		}
		if all {
			before += 2 // the clone adds one of each to the session before
		}
		if n := s.books.total("turn_durations_count", "") + s.books.total("compactions", "") + s.books.total("api_errors", ""); n != before {
			t.Errorf("%d are counted, want %d", n, before)
		}
	}
}

// What is left of a file and what was dropped from it are all of it.
func TestCollectGarbage(t *testing.T) {
	s := recently(4)
	for range 4 {
		s.turn()
	}
	entries, before := len(s.marks), s.books.total("entries", "")
	s.collectGarbage()
	added := s.books.total("entries", "") - before
	s.clone() // by the places of what is left
	head := s.files[len(s.files)-2]
	if !bytes.Contains(s.b[:bytes.IndexByte(s.b, '\n')], []byte(`"subtype":"compact_boundary"`)) || len(s.marks) != int(added) {
		t.Errorf("the session begins with %.200s and has %d entries, want %d", s.b, len(s.marks), added)
	}
	if len(head.marks) != entries || bytes.Contains(head.b, []byte("compact_boundary")) {
		t.Errorf("%d entries were dropped, want %d", len(head.marks), entries)
	}
	for _, f := range []*file{s.file, head, s.files[len(s.files)-1]} {
		for line := range bytes.Lines(f.b) {
			if !json.Valid(line) {
				t.Errorf("in %s there is %.200q", f.path, line)
			}
		}
	}
	for _, n := range s.turns {
		if n > len(s.marks) {
			t.Errorf("a turn ends at entry %d of %d", n, len(s.marks))
		}
	}
}

// A session counts with its first line of conversation, not with a local command.
func TestLocalCommandIsNoConversation(t *testing.T) {
	s := recently(5)
	s.localCommand("usage", func() { s.quote(`<command-name>/usage</command-name>`) })
	s.commandOutput(`<local-command-stdout></local-command-stdout>`)
	if n := s.books.total("sessions", ""); n != 0 {
		t.Errorf("%d sessions before anybody spoke", n)
	}
	s.send(&prompts[0])
	s.conclude()
	if sessions, typed, named := s.books.total("sessions", ""), s.books.total("human_turns", "local_command"), s.books.total("commands", "usage"); sessions != 1 || typed != 1 || named != 1 {
		t.Errorf("%d sessions, %d local commands and %d of this name, want 1 of each", sessions, typed, named)
	}
	s.clone()
	if typed := s.books.total("human_turns", "local_command"); typed != 1 || bytes.Count(s.files[len(s.files)-1].b, []byte("/usage<")) != 1 {
		t.Errorf("with the clone there are %d local commands", typed)
	}
}

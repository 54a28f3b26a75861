package corpus

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// latestSession returns a session of the last version.
func latestSession(seed uint64) *session {
	g := newGenerator(seed)
	e := &g.eras[len(g.eras)-1]
	return g.newSession(e, e.latest(), g.newProjects(1)[0])
}

// total adds up a metric over the series whose labels contain a text.
func (e *Expected) total(metric, label string) (n int64) {
	for s, v := range e.all() {
		if s.metric == metric && strings.Contains(s.labels, label) {
			n += v
		}
	}
	return n
}

// Equal operations that follow each other are several. A copy of the file has the same
// ones.
func TestQueueOperationsAreCountedByTheirPlace(t *testing.T) {
	s := latestSession(1)
	s.operations("enqueue", "enqueue", "remove", "enqueue") // the last one equals the first
	s.pass(1)
	s.operations("enqueue")
	s.duplicate(false)
	enqueued, removed := s.expected.total("queue_operations", "enqueue"), s.expected.total("queue_operations", "remove")
	if enqueued != 3 || removed != 1 {
		t.Errorf("got %d enqueue and %d remove operations, want 3 and 1", enqueued, removed)
	}
	if n := s.expected.total("entries", "queue-operation"); n != 10 {
		t.Errorf("got %d lines, want 10", n)
	}
}

// Only the highest value that a session reports counts, and each session once.
func TestHighestReportCounts(t *testing.T) {
	e := newExpected()
	for _, r := range []struct {
		session, field string
		value          float64
	}{
		{"a", "inputTokens", 5}, {"a", "inputTokens", 3}, {"a", "inputTokens", 7.9},
		{"b", "inputTokens", 2}, {"a", "costUSD", .1 + .2}, {"a", "costUSD", .0000000015},
	} {
		e.reported(r.session, "opus", r.field, r.value)
		e.reportedSession(r.session)
	}
	tokens, cost := e.total("reported", "field=inputTokens"), e.total("reported", "field=costUSD")
	if tokens != 9 || cost != 300_000_000 {
		t.Errorf("got %d tokens and %d billionths of a dollar, want 9 and 300000000", tokens, cost)
	}
	if n := e.total("reported_sessions", ""); n != 2 {
		t.Errorf("got %d sessions, want 2", n)
	}
}

// Only sessions with cost-state lines have tokens in reported_seen_tokens, and only
// those of requests that count.
func TestSeenOfReportedSessions(t *testing.T) {
	s := latestSession(2)
	for _, s.reports = range []bool{true, false} {
		s.compactOnServer()
		s.fallBack()
		s.conclude()
	}
	var all []*message
	for i := range s.records {
		if m := s.records[i].said; m != nil {
			all = append(all, m)
		}
	}
	var want int64
	for _, m := range slices.Compact(all)[:3] {
		want += int64(m.usage[input])
		for _, it := range m.iterations {
			if it.kind == "compaction" || it.kind == "advisor_message" {
				want += int64(it.usage[input])
			}
		}
	}
	if got := s.expected.total("reported_seen_tokens", "type=input"); got != want || want == 0 {
		t.Errorf("got %d input tokens, want %d", got, want)
	}
}

// A clone contains entries with a second key only if CloneAll asks for it, and never
// those that are counted by their uuid alone.
func TestClone(t *testing.T) {
	for _, all := range []bool{false, true} {
		s := latestSession(3)
		counted := func() int64 {
			return s.expected.total("turn_durations_count", "") + s.expected.total("compactions", "") + s.expected.total("api_errors", "")
		}
		s.cloneAll = all
		s.turn()
		for i := range s.Entries {
			if r := &s.Entries[i]; strings.Contains(r.Counts["api_errors"], "server_error") {
				s.writeRow(r)
			}
		}
		s.clone()
		s.turnDuration(1000)
		s.compact("manual")
		before := counted()
		s.clone()
		d := s.transcripts[len(s.transcripts)-1]
		has := func(text string) bool { return bytes.Contains(d.b, []byte(text)) }
		if has(`"subtype":"turn_duration"`) != all || has(`"subtype":"compact_boundary"`) != all || has("isApiErrorMessage") {
			t.Errorf("with CloneAll %v the clone is\n%s", all, d.b)
		}
		if !bytes.Contains(s.b, []byte("isApiErrorMessage")) {
			t.Error("the session has no API error")
		}
		if all {
			before += 2 // the clone adds one of each to the session before
		}
		if n := counted(); n != before {
			t.Errorf("got %d turns, compactions and errors, want %d", n, before)
		}
	}
}

// The rest of a file and what was dropped from it are complete together.
func TestCollectGarbage(t *testing.T) {
	s := latestSession(4)
	for range 4 {
		s.turn()
	}
	head, entries, before := s.transcript, len(s.records), s.expected.total("entries", "")
	path := head.path
	s.collectGarbage()
	added := s.expected.total("entries", "") - before
	s.clone() // by the records of the rest
	clone := s.transcripts[len(s.transcripts)-1]
	first := s.b[:bytes.IndexByte(s.b, '\n')]
	if !bytes.Contains(first, []byte(`"subtype":"compact_boundary"`)) || len(s.records) != int(added) {
		t.Errorf("the session begins with %.200s and has %d entries, want %d", first, len(s.records), added)
	}
	if len(head.records) != entries || bytes.Contains(head.b, []byte("compact_boundary")) {
		t.Errorf("%d entries were dropped, want %d", len(head.records), entries)
	}
	if s.path != path || head.path == path || clone.path == path {
		t.Errorf("the session is at %s, what was dropped at %s, and the clone at %s; want %s, and others", s.path, head.path, clone.path, path)
	}
	for _, f := range []*transcript{s.transcript, head, clone} {
		for line := range bytes.Lines(f.b) {
			if !json.Valid(line) {
				t.Errorf("invalid line in %s: %.200q", f.path, line)
			}
		}
	}
	for _, n := range s.turns {
		if n > len(s.records) {
			t.Errorf("a turn ends at record %d of %d", n, len(s.records))
		}
	}
}

// A session counts from its first entry of conversation, which a local command is not.
func TestLocalCommandIsNoConversation(t *testing.T) {
	s := latestSession(5)
	check := func(sessions, prompts int64) {
		t.Helper()
		got := []int64{s.expected.total("sessions", ""), s.expected.total("human_turns", "local_command"), s.expected.total("commands", "usage")}
		if want := []int64{sessions, prompts, prompts}; !slices.Equal(got, want) {
			t.Errorf("got %v sessions, local commands and commands named usage, want %v", got, want)
		}
	}
	s.localCommand("usage", func() { s.raw(`"<command-name>/usage</command-name>"`) })
	check(0, 1)
	s.send(&s.Prompts[0])
	s.conclude()
	check(1, 1)
	s.clone()
	check(1, 1)
	if n := bytes.Count(s.transcripts[len(s.transcripts)-1].b, []byte("/usage<")); n != 1 {
		t.Errorf("the clone has %d local commands, want 1", n)
	}
}

func TestWriteTSV(t *testing.T) {
	e := Expected{totals: map[series]int64{
		{"tool_calls", "name=b\\\n\t\rc"}: 2,
		{"tool_calls", "name=a"}:          1,
		{"tool_calls", "name=none"}:       0,
		{"tokens", "model=m,type=input"}:  0,
	}}
	var b strings.Builder
	if err := e.WriteTSV(&b); err != nil {
		t.Fatal(err)
	}
	const want = "reported_sessions\t\t0\n" + "sessions\t\t0\n" + "tokens\tmodel=m,type=input\t0\n" +
		"tool_calls\tname=a\t1\n" + "tool_calls\t" + `name=b\\\n\t\rc` + "\t2\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// Two prompts with the same time and text would be taken for one.
func TestPromptTimesAreUnique(t *testing.T) {
	g := newGenerator(1)
	seen := make(map[int64]bool)
	for range 3 {
		for at := int64(100); at < 103; at++ {
			s := &transcript{settings: &settings{generator: g}, now: at}
			s.markPrompt()
			if seen[s.now] || s.now < at {
				t.Errorf("the prompt of %d is at %d", at, s.now)
			}
			seen[s.now] = true
		}
	}
}

// The lines of a session, in their order, are the content of its files, even where an
// entry is older than the one before it.
func TestLinesAreTheFiles(t *testing.T) {
	start := time.Date(2026, 11, 5, 9, 0, 0, 0, time.UTC)
	older := 0
	for seed := range uint64(3) {
		w := NewWriter(seed, 3, start, 20)
		w.generator.start = start.UnixMilli()
		for _, s := range w.generator.showcase(w.projects, 4) {
			written := make(map[string][]byte)
			for _, line := range s.lines() {
				if len(line.Text) == 0 {
					t.Errorf("got an empty line of %s", line.Path)
				}
				written[line.Path] = append(written[line.Path], line.Text...)
			}
			for _, f := range s.transcripts {
				if !bytes.Equal(written[f.path], f.b) {
					t.Errorf("the lines of %s differ from the file", f.path)
				}
				for i := range f.records[1:] {
					if f.records[i+1].at < f.records[i].at {
						older++
					}
				}
			}
		}
	}
	if older == 0 {
		t.Error("no entry is older than the one before it")
	}
}

package corpus

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// shown is when the writers of the tests begin.
var shown = time.Date(2026, 11, 5, 9, 0, 0, 0, time.UTC)

// latestSession returns a session of the last version.
func latestSession(seed uint64) *session {
	g := newGenerator(seed)
	e := &g.eras[len(g.eras)-1]
	return g.newSession(e, e.latest(), g.newProjects(1)[0])
}

// A clone repeats no entry that is counted by its uuid alone.
func TestClone(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	s := latestSession(3)
	s.turn()
	for i := range s.Entries {
		if r := &s.Entries[i]; r.Layout == "synthetic" {
			s.writeRow(r)
		}
	}
	s.turnDuration(1000)
	s.compact("manual")
	s.duplicate(true)
	clone := s.transcripts[len(s.transcripts)-1]
	for _, text := range []string{"isApiErrorMessage", `"subtype":"turn_duration"`, `"subtype":"compact_boundary"`} {
		if !bytes.Contains(s.b, []byte(text)) || bytes.Contains(clone.b, []byte(text)) {
			t.Errorf("the session lacks %s, or the clone has it", text)
		}
	}
}

// The rest of a file and what was dropped from it are complete together.
func TestCollectGarbage(t *testing.T) {
	s := latestSession(4)
	for range 4 {
		s.turn()
	}
	head, entries := s.transcript, len(s.records)
	path := head.path
	s.collectGarbage()
	s.duplicate(true) // by the records of the rest
	clone := s.transcripts[len(s.transcripts)-1]
	first := s.b[:bytes.IndexByte(s.b, '\n')]
	if !bytes.Contains(first, []byte(`"subtype":"compact_boundary"`)) {
		t.Errorf("the session begins with %.200s", first)
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
	testsize.SkipRace(t, "uses no goroutines")
	older := 0
	for seed := range uint64(3) {
		w := NewWriter(seed, 3, shown, 20)
		w.generator.start = shown.UnixMilli()
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

// With constant ids and without requestRef, a message whose parent is a line of another
// message would continue that.
func TestConstantIDsAreSeparate(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	messages := 0
	for seed := range uint64(60) {
		w := NewWriter(seed, 3, shown, 20)
		for _, s := range w.generator.showcase(w.projects, 2+int(seed%8)) {
			if !s.provider.Constant || s.version >= requestsSince {
				continue
			}
			for _, f := range s.transcripts {
				said := make(map[string]*message)
				for _, r := range f.records {
					if before := said[r.parent]; before != nil && r.said != nil && before.id == r.said.id && before != r.said {
						t.Errorf("seed %d, %s: a message follows a line of another", seed, r.uuid)
					}
					said[r.uuid] = r.said
					messages++
				}
			}
		}
	}
	if messages == 0 {
		t.Error("there are no messages")
	}
}

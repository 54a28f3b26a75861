package follow

import (
	"os"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

const (
	agentFile   = "p/s1/subagents/agent-1.jsonl"
	description = "p/s1/subagents/agent-1.meta.json"
)

// replied returns lines of a sub-agent: one message for each id.
func replied(ids ...string) string {
	s := &transcripttest.Session{ID: "s1", Side: true, CWD: "/p/web", Name: strings.Join(ids, "")}
	for _, id := range ids {
		s.Reply(transcripttest.Reply{ID: id, In: 1, Out: 1, Stop: "end_turn"})
	}
	return s.String()
}

// requestsByType returns the number of requests of each type of sub-agents.
func requestsByType(s *state.State) map[string]uint64 {
	s.Change(func(l *ledger.Ledger, _ int64) { l.Settle() })
	s.Release(s.Pending())
	var snap ledger.Snapshot
	s.SnapshotInto(&snap)
	byType := make(map[string]uint64)
	for _, f := range snap.Families {
		if f.Family.Name != "claude_subagent_requests_total" {
			continue
		}
		for _, sample := range f.Samples {
			byType[sample.Labels[0]] += sample.Value
		}
	}
	return byType
}

// The type of a sub-agent comes from the file that describes it.
func TestDescription(t *testing.T) {
	explore := `{"agentType":"Explore","description":"secret"}`
	for name, tt := range map[string]struct {
		describe func(d dir)
		want     string
	}{
		"described":   {func(d dir) { d.Write(description, explore) }, "Explore"},
		"none":        {func(dir) {}, "unknown"},
		"of another":  {func(d dir) { d.Write("p/s1/subagents/agent-2.meta.json", explore) }, "unknown"},
		"invalid":     {func(d dir) { d.Write(description, explore[:20]) }, "unknown"},
		"a directory": {func(d dir) { d.Write(description+"/x", explore) }, "unknown"},
		"too long": {func(d dir) {
			d.Write(description, `{"description":"`+strings.Repeat("x", transcript.MaxAgentDescription)+`","agentType":"Explore"}`)
		}, "unknown"},
		"a link": {func(d dir) {
			d.Write("p/real.json", explore)
			d.Must(os.Symlink(d.Path("p/real.json"), d.Path("p/s1/subagents/link")))
			d.Must(os.Rename(d.Path("p/s1/subagents/link"), d.Path(description)))
		}, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := transcripttest.NewDir(t)
			d.Write(agentFile, replied("m1"))
			tt.describe(d)
			h := newRecorder(t, d.Root, 0)
			h.read(h.files())
			if got := requestsByType(h.state); len(got) != 1 || got[tt.want] != 1 {
				t.Errorf("got %v, want 1 of type %s", got, tt.want)
			}
		})
	}
}

// The description is read before new lines until it exists. Lines read earlier keep
// their type, as does a transcript whose description disappears. A transcript that is
// open already is opened again once.
func TestDescriptionAppears(t *testing.T) {
	d := transcripttest.NewDir(t)
	d.Write(agentFile, replied("m1"))
	h := newRecorder(t, d.Root, 0)
	h.read(h.files())
	d.Write(description, `{"agentType":"Explore"}`)
	d.Append(agentFile, replied("m2"))
	h.read(h.files())
	before := len(h.frames)
	d.Append(agentFile, replied("m3"))
	h.read(h.files())
	if frames := h.frames[before:]; len(frames) != 1 || kindOf(t, frames[0]) != batchFrame {
		t.Errorf("got %d frames, want one batch", len(frames))
	}
	d.Remove(description)
	h.restart()
	d.Append(agentFile, replied("m4"))
	h.read(h.files())
	d.Rename(agentFile, "q/s1/subagents/agent-1.jsonl")
	d.Append("q/s1/subagents/agent-1.jsonl", replied("m5"))
	h.read(h.files())
	d.Write("q/s1/subagents/agent-1.meta.json", `{"agentType":"Plan"}`)
	h.restart()
	d.Append("q/s1/subagents/agent-1.jsonl", replied("m6"))
	h.read(h.files())
	if got := requestsByType(h.state); got["unknown"] != 1 || got["Explore"] != 4 || got["Plan"] != 1 {
		t.Errorf("got %v, want 1 unknown, 4 Explore and 1 Plan", got)
	}
}

// A transcript of a session has no description.
func TestDescriptionOfSession(t *testing.T) {
	d := transcripttest.NewDir(t)
	d.Write("p/s1.jsonl", replied("m1"))
	d.Write("p/s1.meta.json", `{"agentType":"Explore"}`)
	h := newRecorder(t, d.Root, 0)
	h.read(h.files())
	if got := requestsByType(h.state); got["unknown"] != 1 {
		t.Errorf("got %v, want a side chain of unknown type", got)
	}
}

// Names that may be private are replaced before they reach the state.
func TestAttributionLabels(t *testing.T) {
	d := transcripttest.NewDir(t)
	s := &transcripttest.Session{ID: "s1", CWD: "/p/web"}
	s.Reply(transcripttest.Reply{
		ID: "m1", Stop: "end_turn", Skill: "secret-skill", Plugin: "secret-plugin", Server: "db",
		Calls: []transcripttest.Call{{ID: "t1", Name: "Skill"}},
	})
	s.Reply(transcripttest.Reply{ID: "m2", Stop: "end_turn", Skill: "verify", Plugin: "tools"})
	d.Write("p/s1.jsonl", s.String())
	h := newRecorder(t, d.Root, 0)
	h.read(h.files())
	for _, frame := range h.frames {
		if strings.Contains(string(frame), "secret") {
			t.Errorf("a frame contains a private name: %q", frame)
		}
	}
	var all strings.Builder
	for _, frame := range h.frames {
		all.Write(frame)
	}
	for _, want := range []string{"custom", "db", "verify", "tools"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no frame contains %s", want)
		}
	}
}

package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

var (
	mallory = counters.NewSourceLabels(map[string]string{"user": "mallory"})
	alice   = counters.NewSourceLabels(map[string]string{"user": "alice"})
)

// Whatever one source invents, before or after the first start, the series, the history
// and the live sessions of another source are as without it.
func TestLimitsBelongToASource(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	for _, started := range []string{"before all", "between", "after all"} {
		t.Run("start "+started, func(t *testing.T) {
			var texts []string
			for _, abused := range []bool{false, true} {
				l := New(testOptions(), birth)
				start := func(when string) {
					if started == when {
						l.set.Start()
					}
				}
				start("before all")
				if abused {
					invent(l, 0, 5200)
				}
				l = reopened(t, l)
				start("between")
				readTree(l, alice, 100)
				if abused {
					invent(l, 5200, 8000)
					l.Forget([]FileID{1}, birth)
				}
				start("after all")
				texts = append(texts, textOf(l, alice))
			}
			if d := difftest.Diff(texts[0], texts[1]); d != "" {
				t.Errorf("another source changes\n%s", difftest.Head(d))
			}
			for _, part := range []string{"claude-haiku-4-5", "claude_attributed_tokens_total", "live{fresh", "active own 1"} {
				if !strings.Contains(texts[0], part) {
					t.Errorf("%q is not counted", part)
				}
			}
		})
	}
}

// invent reads lines with more values of every label than its limits, more of their
// combinations, and more live sessions.
func invent(l *Ledger, from, to int) {
	f := testFile(1, "mallory.jsonl")
	f.Source = mallory
	l.Open(f)
	const projects, models = 5100, 80
	b := &Batch{File: f.ID, Now: birth}
	for i := from; i < to; i++ {
		n := func(kind string, of int) string { return fmt.Sprint(kind, i%of) }
		key := transcript.KeyOf("invented", fmt.Sprint(i))
		b.Entries = append(b.Entries, transcript.Entry{
			Type: "assistant", Time: birth, UUID: key, Session: key, SessionID: n("session", to), HasProject: true, Project: n("project", projects),
			Sidechain: i%2 == 0,
			Message: &transcript.Message{
				Key: key, Model: n("model", models), StopReason: n("reason", 40), Usage: transcript.Usage{Input: 1 << 40},
			},
			Attribution: &transcript.Attribution{
				AgentType: n("agent", 100), Skill: n("skill", 90), Plugin: n("plugin", 49), MCPServer: n("server", 97),
			},
			Uses:       []transcript.ToolUse{{Key: key, Name: n("tool", 300), MCPServer: n("server", 200)}},
			Compaction: &transcript.Compaction{Trigger: n("trigger", 20), PreTokens: 1},
			APIError:   &transcript.APIError{Class: n("class", 50), Status: n("status", 50)},
			LimitHit:   &transcript.LimitHit{Window: n("window", 30)},
		}, transcript.Entry{
			Type: "user", Time: birth, UUID: transcript.KeyOf("prompt", fmt.Sprint(i)), Session: key, HasProject: true, Project: n("project", projects),
			Command: n("command", 300), Prompt: &transcript.Prompt{Kind: "text", Name: "command", TextKey: key},
		})
	}
	l.AddBatch(b)
	l.Settle()
}

// readTree reads generated sessions, in the order of their names.
func readTree(l *Ledger, source SourceLabels, first FileID) {
	tree := transcripttest.Generate(3, transcripttest.Options{Size: 12})
	for i, name := range tree.Names() {
		f := testFile(first+FileID(i), name)
		f.Source = source
		openWith(l, f, strings.Split(strings.TrimSuffix(tree[name], "\n"), "\n")...)
		l.FinalizeFile(f.ID, birth)
	}
	f := testFile(first-1, "fresh.jsonl")
	f.Source = source
	l.Open(f)
	e := sessionEntry("fresh", birth-1000)
	e.Project, e.Attribution = "own", &transcript.Attribution{Skill: "review"}
	e.Message = &transcript.Message{Key: transcript.KeyOf("fresh"), Model: "claude-haiku-4-5", StopReason: "end_turn", Usage: transcript.Usage{Input: 1}}
	l.AddBatch(&Batch{File: f.ID, Now: birth, Entries: []transcript.Entry{e}})
	l.Settle()
}

// textOf describes all that a scrape, the page and the API have of a source.
func textOf(l *Ledger, source SourceLabels) string {
	releaseAll(l)
	var all []string
	note := func(v ...any) { all = append(all, fmt.Sprint(v...)) }
	snapshot := l.Snapshot(birth)
	for _, f := range snapshot.Families {
		for _, s := range f.Samples {
			if s.Source == source {
				note(f.Family.Name, s.Labels, s.Value, s.Sum, s.Counts, s.Native.Counts, s.Created)
			}
		}
	}
	for _, f := range l.History().Families {
		for _, s := range f.Series {
			if s.Source == source {
				note("history", f.Family.Name, s.Labels, s.Value, s.Increases(), s.Late())
			}
		}
	}
	for _, s := range snapshot.Live {
		if s.Source == source {
			note("live", s)
		}
	}
	active := make(map[string]int)
	for _, s := range snapshot.Active {
		if s.Source == source {
			active[s.Project] += s.Sessions
		}
	}
	for _, project := range slices.Sorted(maps.Keys(active)) {
		note("active ", project, " ", active[project])
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

package daemon

import (
	"strings"
	"testing"
	"time"
)

const (
	requests = `claude_requests_total`
	output   = `claude_tokens_total{type="output"}`
)

// A streaming record counts when its file has been quiet for long enough, and
// not before.
func TestOpenMessageCountsWhenQuiet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.shows(totals{requests: 1})
	w.add("p/a.jsonl", open("a"))
	w.eventually("the message being held back", func() bool { return w.unsettled() == 1 })
	w.advance(w.settings.MessageTimeout - time.Minute)
	w.restart()
	if got := w.unsettled(); got != 1 {
		t.Fatalf("%d messages are held back a minute before the end of the wait, want 1", got)
	}
	w.shows(totals{requests: 1, output: 10})
	w.advance(2 * time.Minute)
	w.shows(totals{requests: 2, output: 15})
	if got := w.unsettled(); got != 0 {
		t.Errorf("%d messages are held back, want 0", got)
	}
}

// unsettled is how many messages are held back.
func (w *world) unsettled() int {
	w.Helper()
	snap, _ := w.scrapes.look(w.d)
	return snap.Unsettled
}

// What is written within the wait takes the place of what was held back.
func TestFinalRecordReplacesOpenOne(t *testing.T) {
	t.Parallel()
	k := &talk{ID: "a", CWD: "/p"}
	k.Reply(reply{ID: "msg", In: 8781, Out: 1}).Reply(reply{ID: "msg", In: 39, Out: 500, Read: 41536, Stop: "end_turn"})
	for name, restart := range map[string]func(*world){
		"at once":          func(*world) {},
		"after a restart":  func(w *world) { w.restart() },
		"after it died":    func(w *world) { w.die(nil, func() {}) },
		"after the wait":   func(w *world) { w.quiet(); w.shows(totals{requests: 1, output: 1}) },
		"by another's own": func(w *world) { w.write("p/b.jsonl", said("b", 1)) },
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first, second := k.Lines[0].String()+"\n", k.Lines[1].String()+"\n"
			w.start()
			w.totals()
			w.write("p/a.jsonl", first)
			w.eventually("the message being held back", func() bool { return w.unsettled() == 1 })
			restart(w)
			input := uint64(39)
			if name == "after the wait" {
				input = 8781 // what was counted cannot be taken back
			}
			w.add("p/a.jsonl", second)
			all := totals{output: 500, `claude_tokens_total{type="input"}`: input, `claude_tokens_total{type="cache_read"}`: 41536}
			if name == "by another's own" {
				all[output], all[`claude_tokens_total{type="input"}`] = 510, 40
			}
			w.shows(all)
		})
	}
}

// A line without its end is no line yet, but what is a whole object counts when
// the file is quiet. The newline that comes at last changes nothing.
func TestLineWithoutEnd(t *testing.T) {
	t.Parallel()
	whole := strings.TrimSuffix(said("b", 1), "\n")
	half := whole[:len(whole)-20]
	for name, later := range map[string]func(w *world){
		"the newline comes": func(w *world) { w.add("p/a.jsonl", "\n"); w.add("p/a.jsonl", said("c", 1)) },
		"the newline comes after a restart": func(w *world) {
			w.restart()
			w.add("p/a.jsonl", "\n"+said("c", 1))
		},
		"the newline comes after it died": func(w *world) {
			w.die(nil, func() { w.add("p/a.jsonl", "\n"+said("c", 1)) })
		},
		"it is written again": func(w *world) { w.write("p/a.jsonl", said("a", 1)+whole+"\n"+said("c", 1)) },
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("p/a.jsonl", said("a", 1))
			w.start()
			w.shows(totals{requests: 1})
			w.add("p/a.jsonl", half)
			w.shows(totals{requests: 1, `claude_prompts_total{kind="text"}`: 2})
			w.add("p/a.jsonl", whole[len(half):])
			w.eventually("the whole line", func() bool { return w.backlog() > 0 && w.totals(aside...)[requests] == 1 })
			w.quiet()
			w.shows(totals{requests: 2})
			later(w)
			w.shows(counted(3, 3).with(`ccwatchd_line_errors_total{reason="garbage"}`, 0))
		})
	}
}

// The same at the start: what was written just now may still be being written, and
// what was written long ago is not.
func TestLineWithoutEndAtTheStart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		age  time.Duration
		want uint64
	}{"just written": {0, 1}, "at rest": {time.Hour, 2}} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("p/late.jsonl", said("a", 1)+strings.TrimSuffix(said("b", 1), "\n"))
			w.touch("p/late.jsonl", time.Now().Add(-tt.age))
			w.start()
			w.shows(totals{requests: tt.want})
			w.quiet()
			w.shows(counted(2, 2))
		})
	}
}

// A half line stays one, however quiet it is, until the rest of it comes.
func TestHalfLineIsNotTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := said("a", 2)
	w.write("p/a.jsonl", all[:len(all)-10])
	w.start()
	w.quiet()
	w.shows(totals{requests: 1})
	w.restart()
	w.quiet()
	w.shows(totals{requests: 1})
	w.add("p/a.jsonl", all[len(all)-10:])
	w.shows(counted(2, 1).with(truncated, 0).with(replaced, 0))
}

// backlog is how many bytes were found that were not read.
func (w *world) backlog() float64 {
	w.Helper()
	return w.metric("ccwatchd_backlog_bytes")
}

// metric is the value of one of the daemon's own metrics, which has no labels.
func (w *world) metric(name string) float64 {
	w.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		w.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		m := f.GetMetric()[0]
		return m.GetGauge().GetValue() + m.GetCounter().GetValue()
	}
	w.Fatalf("there is no %s", name)
	return 0
}

// A result whose call never comes is that of an unknown tool, once its file is
// quiet. If the call stands a few lines further on, it is that tool's.
func TestResultBeforeItsCall(t *testing.T) {
	t.Parallel()
	const (
		bash    = `claude_tool_errors_total{tool="Bash",mcp_server="",reason="exit_code"}`
		unknown = `claude_tool_errors_total{tool="unknown",mcp_server="",reason="exit_code"}`
	)
	w := newWorld(t)
	k := (&talk{ID: "a", CWD: "/p"}).Result("toolu_1", "Exit code 1", true).Result("toolu_2", "Exit code 1", true)
	w.write("p/a.jsonl", k.String())
	w.start()
	w.shows(totals{bash: 0, unknown: 0})
	w.add("p/a.jsonl", (&talk{Name: "b", ID: "a", CWD: "/p"}).Reply(reply{ID: "m", Stop: "tool_use", Calls: []call{{ID: "toolu_1", Name: "Bash"}}}).String())
	w.shows(totals{bash: 1, unknown: 0, `claude_tool_duration_seconds_count{tool="Bash",mcp_server=""}`: 1})
	w.quiet()
	w.shows(totals{bash: 1, unknown: 1})
	// Too late: the call counts, and its result is not counted again.
	w.add("p/a.jsonl", (&talk{Name: "c", ID: "a", CWD: "/p"}).Reply(reply{ID: "n", Stop: "tool_use", Calls: []call{{ID: "toolu_2", Name: "Bash"}}}).String())
	w.shows(totals{bash: 1, unknown: 1, `claude_tool_calls_total{tool="Bash",mcp_server=""}`: 2})
}

// files is how many files are known to be there.
func (w *world) files() int {
	sessions, agents := w.d.state.Present()
	return sessions + agents
}

// What a file left open counts too when the file went away.
func TestOpenMessageOfAFileThatIsGone(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*world){
		"while it watches":  func(w *world) { w.remove("p/a.jsonl") },
		"while it is down":  func(w *world) { w.halt(); w.remove("p/a.jsonl"); w.start() },
		"with its root":     func(w *world) { w.remove("") },
		"after it was dead": func(w *world) { w.die(nil, func() { w.remove("p") }) },
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.start()
			w.totals()
			w.write("p/a.jsonl", open("a"))
			w.eventually("the message being held back", func() bool { return w.unsettled() == 1 })
			remove(w)
			w.eventually("the file being missed", func() bool { return w.files() == 0 })
			w.quiet()
			w.shows(totals{requests: 1, output: 5})
		})
	}
}

package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Where the sub-agent of these tests is, and where it goes.
const (
	agentHere   = "p/a/subagents/agent-1.jsonl"
	agentThere  = "q/a/subagents/agent-1.jsonl"
	agentBeyond = "r/a/subagents/agent-1.jsonl"
)

// worked is the transcript of a sub-agent of a session.
func worked(session string, replies int) string {
	k := &talk{Name: "agent of " + session, ID: session, CWD: "/p", Side: true}
	k.Prompt("do it")
	for i := range replies {
		k.Reply(reply{ID: fmt.Sprintf("msg-agent-%s-%d", session, i), In: 1, Out: 10, Stop: "end_turn"})
	}
	return k.String()
}

// No line of a sub-agent's transcript is counted as the sub-agent, only its file is:
// as often as it lay there at once, however it came there. While the daemon
// watches, while it is down, and while it has died.
func TestSubagents(t *testing.T) {
	one := tree{agentHere: worked("a", 2)}
	two := tree{agentHere: worked("a", 2), agentThere: worked("a", 2)}
	remade := func(w *world, from, to string, replies int) {
		w.rename(from, to)
		w.write("new", worked("a", replies))
		w.rename("new", to)
	}
	for _, c := range []struct {
		name  string
		files tree // so many sub-agents, of which these are all the transcripts
		do    func(w *world)
		want  uint64
	}{
		{"moves", one, func(w *world) { w.rename(agentHere, agentThere) }, 1},
		{"moves and is made anew there", one, func(w *world) { remade(w, agentHere, agentThere, 3) }, 1},
		{"moves twice and is made anew each time", one, func(w *world) {
			remade(w, agentHere, agentThere, 3)
			remade(w, agentThere, agentBeyond, 4)
		}, 1},
		{"is made anew and moves", one, func(w *world) {
			w.write("new", worked("a", 3))
			w.rename("new", agentHere)
			w.rename(agentHere, agentThere)
		}, 1},
		{"is cut and moves", one, func(w *world) {
			w.write(agentHere, worked("a", 1))
			w.rename(agentHere, agentThere)
		}, 1},
		{"is emptied, moves and grows", one, func(w *world) {
			w.write(agentHere, "")
			w.rename(agentHere, agentThere)
			w.write(agentThere, worked("a", 3))
		}, 1},
		{"is copied and deleted", one, func(w *world) {
			w.write(agentThere, worked("a", 2))
			w.remove(agentHere)
		}, 1},
		{"is deleted and comes back elsewhere", one, func(w *world) {
			w.remove(agentHere)
			w.write(agentThere, worked("a", 3))
		}, 1},
		{"is copied", one, func(w *world) { w.write(agentThere, worked("a", 2)) }, 2},
		{"moves and there is another one", one, func(w *world) {
			w.rename(agentHere, agentThere)
			w.write(agentHere, worked("a", 3))
		}, 2},
		{"moves, is made anew there and comes back", one, func(w *world) {
			remade(w, agentHere, agentThere, 3)
			w.write(agentHere, worked("a", 2))
		}, 2},
		{"a copy moves and is made anew there", two, func(w *world) { remade(w, agentHere, agentBeyond, 3) }, 2},
		{"two copies go and one comes back elsewhere", two, func(w *world) {
			w.remove(agentHere)
			w.remove(agentThere)
			w.write(agentBeyond, worked("a", 2))
		}, 2},
		{"another session has one of the name", one, func(w *world) { w.write("p/b/subagents/agent-1.jsonl", worked("b", 2)) }, 2},
		{"one of another session takes its place", one, func(w *world) {
			w.remove(agentHere)
			w.write(agentHere, worked("b", 2))
		}, 2},
	} {
		for how, change := range ways(c.do) {
			t.Run(strings.ReplaceAll(c.name, " ", "_")+"/"+how, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.settings.Scan = 10 * time.Millisecond // a decision takes some walks
				c.files.Write(t, w.dir)
				w.start()
				w.decides(1)
				w.hasSubagents(uint64(len(c.files)))
				change(w)
				w.decides(2)
				w.hasSubagents(c.want)
				w.restart()
				w.decides(3)
				w.hasSubagents(c.want)
			})
		}
	}
}

// decides waits until the daemon has made up its mind about everything that is there:
// about one more pair of copies, too, the n-th.
func (w *world) decides(n uint64) {
	w.Helper()
	for _, project := range []string{"x", "y"} {
		w.write(fmt.Sprintf("%s/s/subagents/workflows/wf/agent-%d.jsonl", project, n), worked("s", 1))
	}
	w.eventually("a decision", func() bool {
		w.quiet()
		return w.totals(aside...)[`claude_subagents_total{kind="workflow"}`] == 2*n
	})
}

func (w *world) hasSubagents(want uint64) {
	w.Helper()
	if got := w.totals(aside...)[subagents]; got != want {
		w.Errorf("got %d sub-agents, want %d", got, want)
	}
}

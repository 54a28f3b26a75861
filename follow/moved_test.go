package follow

import (
	"context"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/watcher"
)

// The transcript of a sub-agent that was replaced and moved counts once, however late
// events of its old path are: a walk whose update names that path cannot tell whether
// the file is missing.
func TestMovedAgentWithLateEvents(t *testing.T) {
	d := dir{TB: t, Root: t.TempDir()}
	now := time.Now()
	f := New(optionsOf(func() time.Time { return now }), configOf(d.Root, 1<<20))
	quiet := func() {
		now = now.Add(time.Hour)
		f.FinalizeQuiet(context.Background(), time.Minute)
	}
	update := func(dirty ...watcher.File) {
		f.Update(t.Context(), watcher.Update{Tree: walk(t, f), Dirty: dirty})
	}
	const content = `{"type":"user","uuid":"u","sessionId":"s1","isSidechain":true,"message":{"content":"task"}}` + "\n"
	before, after := watcher.File{Rel: agentFile}, watcher.File{Rel: "q/s1/subagents/agent-1.jsonl"}
	d.Write(before.Rel, content)
	update()
	quiet()
	d.Remove(before.Rel)
	d.Write(after.Rel, content+content)
	f.Update(t.Context(), watcher.Update{Dirty: []watcher.File{after}})
	for range 3 {
		update(before)
		quiet()
	}
	for range 2 {
		update()
		quiet()
	}
	f.state.Release(f.state.Pending())
	if n := sums(f.state)["claude_subagents_total"]; n != 1 {
		t.Errorf("got %d sub-agents, want 1", n)
	}
}

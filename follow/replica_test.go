package follow

import (
	"context"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/watcher"
)

// A file is no replica of the file that had its path before, which was truncated,
// replaced or moved away: with several sources, too, a copy of a sub-agent counts.
func TestNoReplicaOfFileBefore(t *testing.T) {
	const (
		copied  = "q/s1/subagents/agent-1.jsonl"
		content = `{"type":"user","uuid":"u","sessionId":"s1","isSidechain":true,"message":{"content":"task"}}` + "\n"
	)
	for name, change := range map[string]func(d *dir, update func(dirty string)){
		"truncated": func(d *dir, update func(string)) {
			d.Write(copied, content)
			update(copied)
			d.Write(agentFile, "")
			update(agentFile)
		},
		"replaced": func(d *dir, update func(string)) {
			d.Write(copied, content)
			update(copied)
			d.Replace(agentFile, "\n")
			update(agentFile)
		},
		"moved away": func(d *dir, update func(string)) {
			d.Write(copied+".tmp", "") // makes the directory
			d.Rename(agentFile, copied)
			update(copied)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, other := dir{TB: t, Root: t.TempDir()}, dir{TB: t, Root: t.TempDir()}
			other.Write(agentFile, content)
			now := time.Now()
			c := configOf(d.Root, 1<<20)
			c.Sources[0].Labels = map[string]string{"user": "ann"}
			c.Sources = append(c.Sources, Source{Path: other.Root, Labels: map[string]string{"user": "bob"}})
			f := New(optionsOf(func() time.Time { return now }), c)
			walks := func() {
				for range 3 {
					f.Update(t.Context(), watcher.Update{Tree: walk(t, f)})
					now = now.Add(time.Hour)
					f.FinalizeQuiet(context.Background(), time.Minute)
				}
			}
			d.Write(agentFile, content)
			walks()
			change(&d, func(dirty string) {
				f.Update(t.Context(), watcher.Update{Dirty: []watcher.File{{Rel: dirty}}})
			})
			walks()
			d.Write(agentFile, content+content)
			walks()
			f.state.Release(f.state.Pending())
			if n := sums(f.state)["claude_subagents_total"]; n != 3 {
				t.Errorf("got %d sub-agents, want 2 and 1 in the other source", n)
			}
		})
	}
}

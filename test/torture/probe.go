package torture

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// marker is in every text of a probe, and nowhere else.
const marker = "xyzzy-plugh"

// probeTool is a tool that only probes call.
const probeTool = "Probe"

// probe writes a small complete session. The number of counted probes shows whether the
// daemon has read all files.
func (t *tree) probe() error {
	t.probes++
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", t.probes, t.probes)
	session := transcripttest.Session{ID: id, CWD: "/home/dev/probe"}
	session.Prompt(marker + id)
	session.Reply(transcripttest.Reply{ID: "msg_" + id, Model: "probe", Stop: "tool_use", In: 3, Out: 5, Read: 11, Write5: 7, Calls: []transcripttest.Call{{ID: "toolu_" + id, Name: probeTool}}})
	content := session.Result("toolu_"+id, marker+id, true).String()
	source := filepath.Join(t.store, "probes", id+".jsonl")
	if err := appendTo(source, []byte(content)); err != nil {
		return err
	}
	t.series.Merge(naive.Expected(naive.NewTree(time.Now(), naive.Source{Path: "probe.jsonl", Content: []byte(content)})))
	f := &file{name: fmt.Sprintf("-home-dev-probe-%d/%s.jsonl", t.rng.IntN(3), id), source: source, content: []byte(content), probe: true}
	t.files, t.growing = append(t.files, f), append(t.growing, f)
	return t.write(f, len(content))
}

// probesIn returns the number of probes in a scrape.
func probesIn(samples exposition.Samples) int {
	n, _ := samples.Sum("claude_tool_calls_total", "tool", probeTool)
	return int(n)
}

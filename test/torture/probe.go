package torture

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
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
	line := func(n int, kind, message string) string {
		return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"cwd":"/home/dev/probe","sessionId":%q,"version":"2.1.200","type":%q,"uuid":"%.8s-%04d-4000-8000-%012x","timestamp":"2026-03-01T12:00:%02d.%03dZ","message":{%s}}`+"\n",
			id, kind, id, n, t.probes, n, t.probes%1000, message)
	}
	text := marker + id
	content := line(1, "user", fmt.Sprintf(`"role":"user","content":%q`, text)) +
		line(2, "assistant", fmt.Sprintf(`"model":"probe","id":"msg_%[1]s","type":"message","role":"assistant","content":[{"type":"tool_use","id":"toolu_%[1]s","name":%[2]q,"input":{"path":%[3]q}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":5,"cache_creation_input_tokens":7,"cache_read_input_tokens":11}`, id, probeTool, text)) +
		line(3, "user", fmt.Sprintf(`"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%s","content":%q,"is_error":true}]`, id, text))
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

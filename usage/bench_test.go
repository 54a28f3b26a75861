package usage

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// heavyUse is a year with 1,000 messages and 600 tool calls a day, in 20 projects, with
// 5 models.
func heavyUse(tb testing.TB) *counters.History {
	tb.Helper()
	const (
		days, perDay = 365, 1000
		projects     = 20
	)
	models := []string{"opus", "sonnet", "claude-opus-4-6", "claude-haiku-4-5", "claude-sonnet-4-5"}
	tools := []string{"Bash", "Read", "Edit", "Grep", "Write", "Glob", "Task", "WebFetch", "mcp__a__b", "mcp__c__d"}
	r := rand.New(rand.NewPCG(1, 2))
	l := ledger.New(ledgertest.Options(), now.UnixMilli())
	for p := range projects {
		l.Open(ledger.File{ID: ledger.FileID(p + 1), Kind: transcript.KindOf("s.jsonl"), Name: transcript.KeyOf(fmt.Sprint(p))})
	}
	parser := transcript.NewParser()
	start := now.AddDate(0, 0, -days)
	for i := range days * perDay {
		at := start.Add(time.Duration(i) * (24 * time.Hour / perDay))
		project, stop, content := r.IntN(projects), "end_turn", "[]"
		if r.IntN(10) < 6 {
			stop, content = "tool_use", fmt.Sprintf(`[{"type":"tool_use","id":"call%d","name":%q,"input":{}}]`, i, tools[r.IntN(len(tools))])
		}
		line := fmt.Sprintf(`{"type":"assistant","uuid":"u%d","sessionId":"s","timestamp":%q,"message":{"id":"m%d","role":"assistant",`+
			`"model":%q,"stop_reason":%q,"content":%s,"usage":{"input_tokens":%d,"output_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d}}}`,
			i, at.Format(time.RFC3339), i, models[r.IntN(len(models))], stop, content, r.IntN(100), r.IntN(2000), r.IntN(20000), r.IntN(200000))
		var buffer transcript.Buffer
		parser.Parse([]byte(line), true, &buffer)
		for j := range buffer.Entries {
			e := &buffer.Entries[j]
			e.AssignKeys(func() transcript.Key { return transcript.KeyOf(fmt.Sprint(i, j)) })
			e.Project, e.HasProject = fmt.Sprint("project-", project), true
		}
		l.AddBatch(&ledger.Batch{File: ledger.FileID(project + 1), Now: now.UnixMilli(), Entries: buffer.Entries})
	}
	l.Settle()
	h := l.History()
	return &h
}

func BenchmarkCompute(b *testing.B) {
	h := heavyUse(b)
	for _, bench := range []struct {
		name string
		q    Query
	}{
		{"total", Query{}},
		{"days", Query{Step: Day, Location: time.FixedZone("", 3600)}},
		{"days by project", Query{Step: Day, By: []string{"project"}}},
		{"days by project and model", Query{Step: Day, By: []string{"project", "model"}}},
		{"last week by model", Query{By: []string{"model"}, Since: now.AddDate(0, 0, -7)}},
		{"five minutes", Query{Step: FiveMinutes}},
		{"tools", Query{By: []string{"tool"}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				u, err := Compute(h, bench.q)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(u.Rows)), "rows")
			}
		})
	}
}

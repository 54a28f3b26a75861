package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/claudecode/api"
	"github.com/ccwatchd/ccwatchd/test/claudecode/scenario"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// answer returns the n-th answer.
func answer(n int, change ...func(*api.Served)) api.Served {
	s := api.Served{
		Kind: api.Turn, RequestID: fmt.Sprint("req_", n), ID: fmt.Sprint("msg_", n), Status: 200, Complete: true, Blocks: []string{"text"},
		Usage: api.Tokens{"input": 100 + n, "output": 40 + n}, Start: api.Tokens{"input": 100 + n, "output": 1},
	}
	for _, f := range change {
		f(&s)
	}
	return s
}

// line returns a line of the n-th answer.
func line(n, output int, id, request string) Line {
	return parse("-mnt-work/a.jsonl", fmt.Appendf(nil,
		`{"type": "assistant", "requestId": %q, "message": {"id": %q, "usage": {"input_tokens": %d, "output_tokens": %d}}}`, request, id, 100+n, output))
}

// own returns the line that states the n-th answer.
func own(n int) Line { return line(n, 40+n, fmt.Sprint("msg_", n), fmt.Sprint("req_", n)) }

func counted(t *testing.T, input, output, requests int, more ...string) exposition.Samples {
	t.Helper()
	text := fmt.Sprintf("# TYPE claude_tokens_total counter\nclaude_tokens_total{type=\"input\"} %d\nclaude_tokens_total{type=\"output\"} %d\n"+
		"# TYPE claude_requests_total counter\nclaude_requests_total %d\n", input, output, requests)
	all, err := exposition.ParseText(text + strings.Join(more, "\n") + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func cut(s *api.Served)     { s.Complete = false }
func noBlock(s *api.Served) { s.Blocks = nil }
func compaction(s *api.Served) {
	s.Kind = api.Compaction
}
func title(s *api.Served)    { s.Kind = api.Title }
func constant(s *api.Served) { s.ID = "msg_proxy" }
func gateway(s *api.Served) {
	s.ID, s.RequestID = "msg_proxy", "not sent"
}

func TestCompare(t *testing.T) {
	const newest = "2.1.332"
	for _, test := range []struct {
		name, version string
		reasons       []string
		served        []api.Served
		lines         []Line
		counted       exposition.Samples
		log           string
		want          string // the beginning of the only problem, or none
		wantReasons   string
	}{
		{name: "equal", served: []api.Served{answer(1), answer(2)}, lines: []Line{own(1), own(2)}, counted: counted(t, 203, 83, 2)},
		{name: "too much", served: []api.Served{answer(1)}, lines: []Line{own(1), own(1)}, counted: counted(t, 202, 41, 1), want: "input tokens: the lines state 101, counted are 202"},
		{name: "too few requests", served: []api.Served{answer(1)}, lines: []Line{own(1)}, counted: counted(t, 101, 41, 0), want: "requests: the lines state 1, counted are 0"},
		{name: "not written", served: []api.Served{answer(1)}, counted: counted(t, 0, 0, 0), want: "answer 1 of  (turn, map[input:101 output:41]): no line states it"},
		{name: "compaction", reasons: []string{"compaction"}, served: []api.Served{answer(1, compaction)}, counted: counted(t, 0, 0, 0), wantReasons: "map[compaction:1]"},
		{name: "compaction elsewhere", served: []api.Served{answer(1, compaction)}, counted: counted(t, 0, 0, 0), want: `answer 1 of  (compaction, map[input:101 output:41]): no line states it, and the scenario does not list "compaction"`},
		{name: "no compaction", reasons: []string{"compaction"}, counted: counted(t, 0, 0, 0), want: `"compaction" did not occur`},
		{name: "title", version: "2.1.159", served: []api.Served{answer(1, title)}, counted: counted(t, 0, 0, 0), wantReasons: "map[title:1]"},
		{name: "title today", served: []api.Served{answer(1, title)}, counted: counted(t, 0, 0, 0), want: "answer 1 of  (title"},
		{name: "cut with a block", served: []api.Served{answer(1, cut)}, lines: []Line{line(1, 1, "msg_1", "req_1")}, counted: counted(t, 101, 1, 1)},
		{name: "cut without a block", reasons: []string{"cut answer"}, served: []api.Served{answer(1, cut, noBlock)}, counted: counted(t, 0, 0, 0), wantReasons: "map[cut answer:1]"},
		{name: "empty", reasons: []string{"empty answer"}, served: []api.Served{answer(1, noBlock)}, counted: counted(t, 0, 0, 0), wantReasons: "map[empty answer:1]"},
		{name: "placeholder", version: "2.1.45", served: []api.Served{answer(1)}, lines: []Line{line(1, 1, "msg_1", "req_1")}, counted: counted(t, 101, 1, 1), wantReasons: "map[placeholder:1]"},
		{name: "placeholder today", served: []api.Served{answer(1)}, lines: []Line{line(1, 1, "msg_1", "req_1")}, counted: counted(t, 101, 1, 1), want: "answer 1 of  (turn, map[input:101 output:41]): lines state what message_start did"},
		{name: "placeholder, then the final line", served: []api.Served{answer(1)}, lines: []Line{line(1, 1, "msg_1", "req_1"), own(1)}, counted: counted(t, 101, 41, 1)},
		{name: "other numbers", served: []api.Served{answer(1)}, lines: []Line{line(1, 7, "msg_1", "req_1")}, counted: counted(t, 0, 0, 1), want: "answer 1 of  (turn, map[input:101 output:41]): lines state map[input:101 output:7]"},
		{name: "constant ids", served: []api.Served{answer(1, constant), answer(2, constant)}, lines: []Line{line(1, 41, "msg_proxy", "req_1"), line(2, 42, "msg_proxy", "req_2")}, counted: counted(t, 203, 83, 2)},
		{name: "no ids at all", served: []api.Served{answer(1, gateway), answer(2, gateway)}, lines: []Line{line(1, 41, "x", ""), line(2, 42, "x", "")}, counted: counted(t, 203, 83, 2)},
		{name: "errors", served: []api.Served{{Status: 529, Error: "overloaded_error"}}, counted: counted(t, 0, 0, 0)},
		{name: "unknown usage", counted: counted(t, 0, 0, 0, `ccwatchd_unknown_format_total{kind="usage_key"} 1`, `ccwatchd_unknown_format_total{kind="subtype"} 1`), want: "unknown usage_key"},
		{name: "unknown project", counted: counted(t, 0, 0, 0, `claude_prompts_total{project="unknown"} 1`), want: `claude_prompts_total{project="unknown"}`},
		{name: "torn line", counted: counted(t, 0, 0, 0, `ccwatchd_line_errors_total{reason="torn"} 1`), want: "ccwatchd_line_errors_total"},
		{name: "warning", counted: counted(t, 0, 0, 0), log: "level=INFO msg=a\ntime=t level=WARN msg=b\n", want: "logged: WARN msg=b"},
	} {
		if test.version == "" {
			test.version = newest
		}
		v := Compare(Case{
			Scenario: scenario.Scenario{Reasons: test.reasons}, Version: version.MustParse(test.version),
			Served: test.served, Lines: test.lines, Counted: test.counted, Log: test.log,
		})
		switch {
		case test.want == "" && len(v.Problems) > 0, test.want != "" && (len(v.Problems) == 0 || !strings.HasPrefix(v.Problems[0], test.want)):
			t.Errorf("%s: got problems %q", test.name, v.Problems)
		case test.wantReasons != "" && fmt.Sprint(v.Reasons) != test.wantReasons:
			t.Errorf("%s: got reasons %v", test.name, v.Reasons)
		}
	}
}

func TestLines(t *testing.T) {
	home := t.TempDir()
	filetest.Write(t, home+"/.claude/projects/-a/1.jsonl", `{"type": "system", "subtype": "api_error"}`+"\n\n"+`{"type": "attachment", "attachment": {"type": "date"}}`+"\n{broken\n"+`{"type": "user"}`)
	filetest.Write(t, home+"/.claude/projects/-a/1/subagents/agent-1.jsonl", `{"type": "progress", "data": {"type": "agent_progress"}}`+"\n")
	filetest.Write(t, home+"/.claude/jobs/timeline.jsonl", `{"type": "other"}`+"\n")
	lines, err := Lines(home, Projects...)
	var kinds []string
	for _, l := range lines {
		kinds = append(kinds, l.Kind)
	}
	const want = "[progress/agent_progress system/api_error attachment/date broken user]"
	if err != nil || fmt.Sprint(kinds) != want {
		t.Errorf("got %v, %v", kinds, err)
	}
}

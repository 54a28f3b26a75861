package transcript

import "testing"

func TestTouchedFiles(t *testing.T) {
	for _, tt := range []struct{ name, input, operation, path string }{
		{"Read", `{"file_path":"/a","limit":3}`, "read", "/a"},
		{"Edit", `{"old_string":"{}","file_path":"\u002fa"}`, "edited", "/a"},
		{"MultiEdit", `{"file_path":"/a"}`, "edited", "/a"},
		{"NotebookEdit", `{"notebook_path":"/n"}`, "edited", "/n"},
		{"Write", `{"content":"file_path","file_path":""}`, "written", ""},
		{"Read", `{"file_path":7,"notebook_path":"/n"}`, "read", "/n"},
		{"Read", `{"file":"/a"}`, "", ""},
		{"Read", `{"a":{"file_path":"/a"}}`, "", ""},
		{"Read", `"/a"`, "", ""},
		{"Glob", `{"file_path":"/a"}`, "", ""},
		{"read", `{"file_path":"/a"}`, "", ""},
		{"mcp__x__Read", `{"file_path":"/a"}`, "", ""},
	} {
		e := parseOne(t, `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","input":`+tt.input+`,"name":"`+tt.name+`"}]},"sessionId":"s"}`)
		var want []Fact
		if tt.operation != "" {
			want = []Fact{{FileFact, KeyOf("file", "s", tt.operation, tt.path), tt.operation}}
		}
		equal(t, tt.name+tt.input, e.Facts, want)
	}
}

func TestBackgroundWorkAndCommits(t *testing.T) {
	for _, tt := range []struct{ result, background, commit string }{
		{`{"stdout":"","backgroundTaskId":"b1"}`, "shell", ""},
		{`{"backgroundTaskId":""}`, "", ""},
		{`{"isAsync":true,"status":"async_launched","agentId":"a"}`, "agent", ""},
		{`{"status":"async_launched","taskId":"w","taskType":"local_workflow","workflowName":"lint"}`, "workflow", ""},
		{`{"status":"async_launched","taskType":"local_workflow"}`, "agent", ""},
		{`{"workflowName":"lint"}`, "", ""},
		{`{"status":"remote_launched","taskId":"r"}`, "agent", ""},
		{`{"status":"completed","agentId":"a"}`, "", ""},
		{`{"status":"teammate_spawned","name":"reviewer"}`, "teammate", ""},
		{`{"taskId":"m","timeoutMs":300000,"persistent":false}`, "monitor", ""},
		{`{"taskId":"3","success":true}`, "", ""},
		{`{"gitOperation":{"commit":{"sha":"ab12","kind":"committed"}}}`, "", "ab12"},
		{`{"gitOperation":{"push":{"branch":"main"}}}`, "", ""},
		{`{"gitOperation":{"commit":{"sha":""}}}`, "", ""},
		{`{"gitOperation":{"commit":{"sha":7}}}`, "", ""},
		{`"gitOperation"`, "", ""},
	} {
		e := parseOne(t, `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t"},{"type":"tool_result","tool_use_id":"u"}]},"toolUseResult":`+tt.result+`}`)
		var want []Fact
		if tt.commit != "" {
			want = append(want, Fact{CommitFact, KeyOf("commit", tt.commit), ""})
		}
		if tt.background != "" {
			want = append(want, Fact{BackgroundFact, KeyOf("tool", "t"), tt.background})
		}
		equal(t, tt.result, e.Facts, want)
	}
}

func TestPullRequests(t *testing.T) {
	want := []Fact{{PullRequestFact, KeyOf("pull request", "https://x/7"), ""}}
	equal(t, "link", parseOne(t, `{"type":"pr-link","prNumber":7,"prUrl":"https://x/7"}`).Facts, want)
	for _, line := range []string{`{"type":"pr-link","prUrl":""}`, `{"type":"pr-link","prUrl":7}`, `{"type":"pr-link"}`, `{"type":"mode","prUrl":"https://x/7"}`} {
		equal(t, line, parseOne(t, line).Facts, nil)
	}
}

func TestCostBases(t *testing.T) {
	e := parseOne(t, `{"type":"cost-state","sessionId":"s","modelUsage":{"a":{"costBasis":"list"},"b":{"costBasis":"barter"},"a":{"costBasis":"list"},"e":{"costBasis":"gift"},"c":{"costBasis":7},"d":{}}}`)
	equal(t, "facts", e.Facts, []Fact{
		{CostBasisFact, KeyOf("cost basis", "s", "list"), "list"}, {CostBasisFact, KeyOf("cost basis", "s", "other"), "other"},
	})
}

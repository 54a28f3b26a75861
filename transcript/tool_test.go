package transcript

import (
	"strconv"
	"strings"
	"testing"
)

func TestToolUses(t *testing.T) {
	e := parseOne(t, `{"type":"assistant","message":{"content":[
		{"type":"text","text":"I run it"},
		{"type":"tool_use","id":"toolu_0000001","name":"Bash","input":{"type":"tool_use","id":"inner"}},
		{"type":"server_tool_use","id":"toolu_0000002","name":"web_search"},
		{"type":"mcp_tool_use","id":"toolu_0000003","name":"mcp__git_hub__create_issue"},
		{"type":"tool_use","id":"","name":""},
		{"type":"tool_use","id":null,"name":7},
		{"type":"tool_use","name":"Task\" >\n<parameter"},
		{"type":"other_tool_use","id":"toolu_0000004","name":"No"},
		"tool_use", null, ["tool_use"]]}}`)
	equal(t, "uses", e.Uses, []ToolUse{
		{Key: KeyOf("tool", "toolu_0000001"), Name: "Bash"},
		{Key: KeyOf("tool", "toolu_0000002"), Name: "web_search"},
		{Key: KeyOf("tool", "toolu_0000003"), Name: "mcp__git_hub__create_issue", MCPServer: "git_hub"},
		{Key: KeyOf("tool", ""), ID: KeyOf("tool", ""), Name: ""},
		{Name: "unknown"},
		{Name: `Task" ><parameter`},
	})
}

func TestToolUsesOnlyOfAssistant(t *testing.T) {
	for _, line := range []string{
		`{"type":"user","message":{"content":[{"type":"tool_use","id":"t","name":"Bash"}]}}`,
		`{"type":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash"}]}`,
		`{"type":"assistant","message":[{"type":"tool_use","id":"t","name":"Bash"}]}`,
		`{"type":"assistant","message":{"content":{"type":"tool_use","id":"t","name":"Bash"}}}`,
	} {
		equal(t, line, len(parseOne(t, line).Uses), 0)
	}
}

func TestMCPServer(t *testing.T) {
	for name, want := range map[string]string{
		"mcp__s__t":                  "s",
		"mcp__a__b__c":               "a",
		"mcp__plugin_x_y__do_it":     "plugin_x_y",
		"mcp__s__":                   "s",
		"mcp__s":                     "",
		"mcp____t":                   "",
		"mcp_s_t":                    "",
		"Bash":                       "",
		"":                           "",
		"x_mcp__s__t":                "",
		"mcp__claude-in-chrome__tab": "claude-in-chrome",
	} {
		equal(t, name, mcpServer(name), want)
	}
}

func TestToolResults(t *testing.T) {
	key := KeyOf("tool", "toolu_0000001")
	results := func(r ToolResult) []ToolResult { r.Key = key; return []ToolResult{r} }
	// result is a user entry with one result.
	result := func(fields string) string {
		return `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_0000001",` + fields + `}]}}`
	}
	for _, tt := range []struct {
		name, line string
		want       []ToolResult
	}{
		{"text", result(`"content":"h\u00e9"`), results(ToolResult{Bytes: 3})},
		{"error", result(`"is_error":true,"content":"Exit code 1"`), results(ToolResult{Error: true, Reason: "exit_code", Bytes: 11})},
		{"not exactly true", result(`"is_error":"true","content":"Exit code 1"`), results(ToolResult{Bytes: 11})},
		{
			"parts", result(`"is_error":true,"content":[
				{"type":"text","text":"Exit"},{"type":"text","text":"code"},{"type":"text","text":9},"loose",null,
				{"type":"image","source":{"type":"base64","data":"QUJD"}},
				{"type":"document","source":{"data":"AAAA"}},{"type":"tool_reference","tool_name":"X"}]`),
			results(ToolResult{Error: true, Reason: "exit_code", Bytes: 16}),
		},
		{
			"empty part before the text", result(`"is_error":true,"content":[{"text":""},{"text":"Exit code 1"}]`),
			results(ToolResult{Error: true, Reason: "other", Bytes: 11}),
		},
		{"no content", result(`"is_error":true`), results(ToolResult{Error: true, Reason: "other"})},
		{
			"content of the wrong type", result(`"is_error":true,"content":{"e":"No such tool available"}`),
			results(ToolResult{Error: true, Reason: "validation"}),
		},
		{
			"two, and one without an id",
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":5},{"type":"tool_result","tool_use_id":""},{"type":"tool_result","tool_use_id":"toolu_0000001"}]}}`,
			[]ToolResult{{Key: KeyOf("tool", ""), ID: KeyOf("tool", "")}, {Key: key}},
		},
		{
			"of the server, in an assistant entry",
			`{"type":"assistant","message":{"content":[{"type":"web_search_tool_result","tool_use_id":"toolu_0000001","content":[{"url":"u"}]}]}}`,
			results(ToolResult{}),
		},
		{"of the server, in a user entry", `{"type":"user","message":{"content":[{"type":"web_search_tool_result","tool_use_id":"toolu_0000001"}]}}`, nil},
		{"in another entry", `{"type":"progress","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_0000001"}]}}`, nil},
		{
			"patch on every result of the line",
			`{"type":"user","toolUseResult":{"structuredPatch":[{"lines":["+a","-b","+c"]}]},
				"message":{"content":[{"type":"tool_result","tool_use_id":"toolu_0000001"},{"type":"tool_result","tool_use_id":"toolu_0000002"}]}}`,
			[]ToolResult{{Key: key, Added: 2, Removed: 1}, {Key: KeyOf("tool", "toolu_0000002"), Added: 2, Removed: 1}},
		},
	} {
		equal(t, tt.name, parseOne(t, tt.line).Results, tt.want)
	}
}

func TestErrorReason(t *testing.T) {
	tests := []struct{ text, want string }{
		{"The user doesn't want to proceed with this tool use.", "user_rejected"},
		{"User chose not to", "user_rejected"},
		{"User rejected it", "user_rejected"},
		{"[Request interrupted by user for tool use]", "interrupted"},
		{"<tool_use_error>Sibling tool call errored</tool_use_error>", "sibling_cancelled"},
		{"Cancelled: parallel tool call Bash failed", "sibling_cancelled"},
		{"Exit code 127\npermission denied", "exit_code"},
		{"Permission to use Bash has been denied", "permission"},
		{"Claude requested permissions to write", "permission"},
		{"This command requires approval", "permission"},
		{strings.Repeat("é", 111) + "ermission", "permission"},
		{strings.Repeat("é", 112) + "ermission", "other"},
		{strings.Repeat("é", 143) + "requires approval", "permission"},
		{strings.Repeat("é", 144) + "requires approval", "other"},
		{"<tool_use_error>InputValidationError: Bash failed", "validation"},
		{"<tool_use_error>Error: No such tool available: bash</tool_use_error>", "validation"},
		{"<tool_use_error>File has not been read yet", "tool_use_error"},
		{" Exit code 1", "other"},
		{"", "other"},
	}
	seen := map[string]bool{"hook": true} // by TestStatedErrorReason
	for _, tt := range tests {
		equal(t, tt.text, reasonInText([]byte(tt.text)), tt.want)
		seen[tt.want] = true
	}
	for _, reason := range ErrorReasons {
		equal(t, reason+" is tested", seen[reason], true)
	}
}

func TestLinesChanged(t *testing.T) {
	for _, tt := range []struct {
		name, result   string
		added, removed uint64
	}{
		{"edit", `{"structuredPatch":[{"lines":[" a","-b","+c","+++"]},{"lines":["-d"]}]}`, 2, 2},
		{"escaped sign", `{"structuredPatch":[{"lines":["\u002ba"]}]}`, 1, 0},
		{"hunks of the wrong type", `{"structuredPatch":[null,"+a",["+b"],{"lines":null},{"lines":7},{},{"lines":["+c",1,null,["+"]]}]}`, 1, 0},
		{"create", `{"type":"create","content":"a\nb\n","structuredPatch":[]}`, 2, 0},
		{"create over a patch", `{"type":"create","content":"a","structuredPatch":[{"lines":["+x","+y","-z"]}]}`, 1, 1},
		{"create of nothing", `{"type":"create","content":"","structuredPatch":[{"lines":["+x"]}]}`, 1, 0},
		{"create with content of the wrong type", `{"type":"create","content":["a"],"structuredPatch":[]}`, 0, 0},
		{"create without a patch", `{"type":"create","content":"a\nb\n"}`, 0, 0},
		{"update", `{"type":"update","content":"a\nb\n","structuredPatch":[{"lines":["+x"]}]}`, 1, 0},
		{"patch of the wrong type", `{"structuredPatch":{"lines":["+x"]}}`, 0, 0},
		{"text", `"Error: failed"`, 0, 0},
		{"list", `[{"structuredPatch":[{"lines":["+x"]}]}]`, 0, 0},
	} {
		e := parseOne(t, `{"type":"user","toolUseResult":`+tt.result+`,"message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}`)
		equal(t, "lines added by "+tt.name, e.Results[0].Added, tt.added)
		equal(t, "lines removed by "+tt.name, e.Results[0].Removed, tt.removed)
	}
}

func TestCountLines(t *testing.T) {
	for _, tt := range []struct {
		text string
		want uint64
	}{
		{"", 0}, {"a", 1}, {"a\n", 1}, {"\n", 1}, {"\n\n", 2}, {"a\nb", 2}, {"a\nb\n", 2},
		{"a\r\nb", 2}, {"a\rb", 2}, {"\r\r\n\n", 3}, {"\n\r", 2}, {"\r\n\r\n", 2},
		{"a\vb\fc", 3}, {"a\x1cb\x1dc\x1ed", 4}, {"a\x1fb", 1}, {"a\u0085b\u2028c\u2029", 3}, {"é\u00a0", 1},
		{`a\nb`, 2}, {`a\r\n`, 1}, {"a\r\\n", 1}, {`a\u000a\u000d\n`, 2}, {`\\n\"`, 1}, {`\u2028\ud83d\ude00`, 2}, {`\ud83d\n`, 1},
		{"\x85\xe2\x80", 1}, {"\xe2\x80\\n", 1},
	} {
		equal(t, strconv.Quote(tt.text), countLines([]byte(tt.text)), tt.want)
	}
}

package corpus

import (
	"maps"
	"slices"
)

// A tool is one that the model can call, with what its calls and results look
// like. What is nil is like that of most.
type tool struct {
	name          string
	weight        int
	since, before version // 0: always
	input         func(*thread, *call)
	content       func(*thread, *call) // what the model gets; else text of the size
	detail        func(*thread, *call) // toolUseResult; else none
	kind          func(*texts) *text   // of the content
	size          *quantiles           // of the content
	time          *quantiles           // from the call to the result, in milliseconds; nil: a sub-agent does it
	listed        bool                 // the content is a list of blocks
	mainOnly      bool                 // sub-agents do not have it
}

// A call is a tool call that was made, or is about to be.
type call struct {
	*tool
	id       string
	at       int64 // when it was made
	path     string
	old, new span    // parts of the input that the result repeats
	text     span    // the text of the result
	agent    *thread // the sub-agent that does it
	fail     *failure
}

var (
	shortTime  = quantiles{2, 8, 15, 40, 150, 1600, 5000, 60000, 600000, 7200000}
	editTime   = quantiles{4, 20, 35, 70, 500, 5500, 20000, 200000, 3600000, 20000000}
	bashTime   = quantiles{20, 80, 300, 1500, 5000, 19000, 60000, 240000, 1800000, 39600000}
	netTime    = quantiles{300, 1500, 4000, 10600, 20000, 53000, 80000, 150000, 400000, 900000}
	personTime = quantiles{2000, 12000, 30000, 74000, 200000, 542000, 1800000, 9000000, 40000000, 80000000}

	bashSize  = quantiles{2, 33, 94, 300, 1100, 2500, 4200, 14000, 30000, 45000}
	readSize  = quantiles{9, 480, 1300, 3200, 7500, 18500, 30000, 62000, 90000, 250000}
	grepSize  = quantiles{14, 18, 40, 260, 1200, 4200, 9000, 17000, 19900, 20000}
	webSize   = quantiles{60, 250, 600, 1800, 3600, 18000, 32000, 45000, 90000, 100000}
	mcpSize   = quantiles{18, 81, 170, 1000, 3500, 11500, 29000, 120000, 220000, 390000}
	smallSize = quantiles{10, 30, 60, 120, 180, 240, 300, 800, 2000, 4000}
)

// builtin are the tools of Claude Code itself, as often as they were found.
func builtin() []tool {
	return []tool{
		{name: "Bash", weight: 3800, input: bashInput, detail: bashDetail, kind: output, size: &bashSize, time: &bashTime},
		{name: "Read", weight: 2180, input: readInput, detail: readDetail, kind: numbered, size: &readSize, time: &shortTime},
		{name: "Edit", weight: 1140, input: editInput, content: editContent, detail: editDetail, time: &editTime},
		{name: "Grep", weight: 700, input: grepInput, detail: grepDetail, kind: listing, size: &grepSize, time: &shortTime},
		{name: "Write", weight: 430, input: writeInput, content: writeContent, detail: writeDetail, time: &editTime},
		{name: "Glob", weight: 260, input: globInput, detail: globDetail, kind: listing, size: &grepSize, time: &shortTime},
		{name: "TodoWrite", weight: 400, before: v(2, 1, 17), input: todoInput, detail: todoDetail, size: &smallSize, time: &shortTime},
		{name: "TaskCreate", weight: 90, since: v(2, 1, 17), input: taskInput, detail: statusDetail, size: &smallSize, time: &shortTime},
		{name: "TaskUpdate", weight: 160, since: v(2, 1, 17), input: taskInput, detail: statusDetail, size: &smallSize, time: &shortTime},
		{name: "AskUserQuestion", weight: 80, since: v(2, 0, 21), input: questionInput, detail: textDetail, size: &smallSize, time: &personTime, mainOnly: true},
		{name: "ExitPlanMode", weight: 25, input: planInput, detail: planDetail, size: &smallSize, time: &personTime, mainOnly: true},
		{name: "WebFetch", weight: 75, input: queryInput, detail: fetchDetail, size: &webSize, time: &netTime},
		{name: "WebSearch", weight: 70, input: queryInput, detail: searchDetail, size: &webSize, time: &netTime},
		{name: "Task", weight: 195, before: v(2, 1, 63), input: agentInput, content: agentContent, detail: agentDetail, listed: true, mainOnly: true},
		{name: "Agent", weight: 195, since: v(2, 1, 63), input: agentInput, content: agentContent, detail: agentDetail, listed: true, mainOnly: true},
		{name: "Skill", weight: 38, since: v(2, 0, 20), input: queryInput, detail: statusDetail, size: &smallSize, time: &shortTime},
		{name: "ToolSearch", weight: 30, since: v(2, 1, 69), input: queryInput, detail: statusDetail, size: &smallSize, time: &shortTime},
		{name: "SendMessage", weight: 32, since: v(2, 1, 100), input: queryInput, detail: statusDetail, size: &smallSize, time: &shortTime},
		{name: "BashOutput", weight: 20, before: v(2, 1, 9), input: queryInput, detail: textDetail, kind: output, size: &bashSize, time: &shortTime},
		{name: "TaskOutput", weight: 22, since: v(2, 1, 9), input: queryInput, detail: textDetail, kind: output, size: &bashSize, time: &bashTime},
		{name: "MultiEdit", weight: 30, before: v(2, 0, 8), input: editInput, content: editContent, detail: editDetail, time: &editTime},
		{name: "NotebookEdit", weight: 6, input: queryInput, detail: statusDetail, size: &smallSize, time: &editTime},
		// Models invent names.
		{name: "Task\" >\n<parameter name=\"description", weight: 1, input: queryInput, size: &smallSize, time: &shortTime},
		{name: "smart_search", weight: 2, input: queryInput, size: &smallSize, time: &shortTime},
		{name: "bash", weight: 2, input: queryInput, size: &smallSize, time: &shortTime},
	}
}

// servers are MCP servers with what they offer.
var servers = map[string][]string{
	"filesystem":           {"read_text_file", "list_directory", "directory_tree", "write_file", "search_files"},
	"acp":                  {"Bash", "Read", "Edit", "Write"},
	"plugin_serena_serena": {"read_file", "list_dir", "find_symbol", "replace_symbol_body"},
	"puppeteer":            {"puppeteer_navigate", "puppeteer_evaluate", "puppeteer_click"},
	"sequential-thinking":  {"sequentialthinking"},
	"context7":             {"resolve-library-id", "get-library-docs"},
	"claude-in-chrome":     {"computer", "read_page"},
	"github":               {"create_pull_request", "list_issues", "get_file_contents"},
}

// toolbox is everything that can be called.
func toolbox() []tool {
	tools := builtin()
	for _, server := range slices.Sorted(maps.Keys(servers)) {
		for i, name := range servers[server] {
			tools = append(tools, tool{
				name: "mcp__" + server + "__" + name, weight: 60 / (i + 2),
				input: queryInput, listed: true, kind: data, size: &mcpSize, time: &bashTime,
			})
		}
	}
	return tools
}

func output(t *texts) *text   { return &t.output }
func numbered(t *texts) *text { return &t.numbered }
func listing(t *texts) *text  { return &t.listing }
func data(t *texts) *text     { return &t.data }

// fits reports whether a version has the tool.
func (u *tool) fits(n version) bool { return n >= u.since && (u.before == 0 || n < u.before) }

// drawTool draws a tool that the thread has.
func (t *thread) drawTool() *tool {
	main := t.scope() == "main"
	return draw(t.dice, t.home.tools, func(u *tool) int {
		if u.mainOnly && !main {
			return 0
		}
		return u.weight
	})
}

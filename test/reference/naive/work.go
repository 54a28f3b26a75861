package naive

// workRule implements docs/work.md, except for results without a call.
var workRule = Rule{
	Families: []string{
		"claude_commits_total", "claude_pull_requests_total", "claude_files_touched_total", "claude_background_tasks_total",
	},
	Count: countWork,
}

func countWork(tree *Tree, totals *Totals) {
	seen := make(set)
	for l := range tree.lines() {
		switch l.Text("type") {
		case "pr-link":
			if url := l.Text("prUrl"); url != "" && seen.first("pull request", url) {
				totals.Add(1, "claude_pull_requests_total", "project", l.project)
			}
		case "assistant":
			countFiles(l, totals, seen)
		case "user":
			countResult(l, totals, seen)
		}
	}
}

func countFiles(l *line, totals *Totals, seen set) {
	operations := map[string]string{
		"Read": "read", "Edit": "edited", "MultiEdit": "edited", "NotebookEdit": "edited", "Write": "written",
	}
	for _, block := range l.Objects("message", "content") {
		switch block.Text("type") {
		case "tool_use", "server_tool_use", "mcp_tool_use":
		default:
			continue
		}
		operation, file := operations[block.Text("name")], block.At("input", "file_path")
		if _, ok := file.(string); !ok {
			file = block.At("input", "notebook_path")
		}
		path, ok := file.(string)
		if operation != "" && ok && seen.first("file", l.Text("sessionId"), operation, path) {
			totals.Add(1, "claude_files_touched_total", "operation", operation, "project", l.project)
		}
	}
}

func countResult(l *line, totals *Totals, seen set) {
	if hash := l.Text("toolUseResult", "gitOperation", "commit", "sha"); hash != "" && seen.first("commit", hash) {
		totals.Add(1, "claude_commits_total", "project", l.project)
	}
	kind := ""
	switch status := l.Text("toolUseResult", "status"); {
	case l.Text("toolUseResult", "backgroundTaskId") != "":
		kind = "shell"
	case status == "async_launched" || status == "remote_launched":
		kind = "agent"
	case isText(l.At("toolUseResult", "taskId")) && isNumber(l.At("toolUseResult", "timeoutMs")):
		kind = "monitor"
	}
	for _, block := range l.Objects("message", "content") {
		if id, ok := block.At("tool_use_id").(string); ok && block.Text("type") == "tool_result" {
			if kind != "" && seen.first("background", id) {
				totals.Add(1, "claude_background_tasks_total", "kind", kind)
			}
			return
		}
	}
}

package naive

import (
	"cmp"
	"slices"
)

// workRule implements docs/design/work.md: commits, files and background work.
func workRule() Rule {
	return Rule{[]string{
		"claude_commits_total", "claude_pull_requests_total", "claude_files_touched_total", "claude_background_tasks_total",
		"claude_tool_results_without_call_total", "claude_reported_cost_basis_total",
	}, countWork}
}

func countWork(tree *Tree, totals Totals) {
	seen, calls, results := make(set), make(set), make(set)
	for l := range tree.lines() {
		if l.maker() != "" {
			seen.first("fork", l.Text("sessionId"))
		}
		switch l.Text("type") {
		case "pr-link":
			if url := l.Text("prUrl"); url != "" && seen.first("pull request", url) {
				totals.Add(1, "claude_pull_requests_total", "project", l.project)
			}
		case "assistant":
			countFiles(l, totals, seen)
			for i, call := range l.Calls() {
				early := l.file.ids.early(call.Text("id"))
				if calls.first(l.calls[i]); isText(call.At("id")) && results[early] && !results[l.calls[i]] {
					delete(results, early)
					results.first(l.calls[i])
				}
			}
		case "user":
			countResult(l, totals, seen)
		case "cost-state":
			countCostBases(l, totals, seen)
		}
		for _, r := range l.results {
			results.first(r.key)
		}
	}
	for id := range results {
		if !calls[id] {
			totals.Add(1, "claude_tool_results_without_call_total")
		}
	}
}

func countFiles(l *Line, totals Totals, seen set) {
	operations := map[string]string{
		"Read": "read", "Edit": "edited", "MultiEdit": "edited", "NotebookEdit": "edited", "Write": "written",
	}
	session := cmp.Or(l.Text("requestSessionId"), l.Text("sessionId"))
	for _, call := range l.Calls() {
		operation, file := operations[call.Text("name")], call.At("input", "file_path")
		if !isText(file) {
			file = call.At("input", "notebook_path")
		}
		if operation != "" && isText(file) && seen.first("file", session, operation, text(file)) {
			totals.Add(1, "claude_files_touched_total", "operation", operation, "project", l.project)
		}
	}
}

// countCostBases counts what the costs that a session reports are based on, unless the
// session is known to be a fork.
func countCostBases(l *Line, totals Totals, seen set) {
	session := l.Text("sessionId")
	models, _ := l.At("modelUsage").(map[string]any)
	for _, usage := range models {
		basis := member(usage, "costBasis")
		if !isText(basis) || session == "" || seen["fork\x00"+session] {
			continue
		}
		name := text(basis)
		if !slices.Contains([]string{"list", "managed", "unknown"}, name) {
			name = "other"
		}
		if seen.first("cost basis", session, name) {
			totals.Add(1, "claude_reported_cost_basis_total", "basis", name)
		}
	}
}

func countResult(l *Line, totals Totals, seen set) {
	if hash := l.Text("toolUseResult", "gitOperation", "commit", "sha"); hash != "" && seen.first("commit", hash) {
		totals.Add(1, "claude_commits_total", "project", l.project)
	}
	kind := ""
	switch status := l.Text("toolUseResult", "status"); {
	case l.Text("toolUseResult", "backgroundTaskId") != "":
		kind = "shell"
	case isText(l.At("toolUseResult", "taskType")) && isText(l.At("toolUseResult", "workflowName")):
		kind = "workflow"
	case status == "async_launched" || status == "remote_launched":
		kind = "agent"
	case status == "teammate_spawned":
		kind = "teammate"
	case isText(l.At("toolUseResult", "taskId")) && isNumber(l.At("toolUseResult", "timeoutMs")):
		kind = "monitor"
	}
	if kind != "" && len(l.results) > 0 && seen.first("background", l.results[0].key) {
		totals.Add(1, "claude_background_tasks_total", "kind", kind)
	}
}

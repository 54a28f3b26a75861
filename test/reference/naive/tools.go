package naive

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// toolsRule implements docs/design/work.md: sizes of results, errors of tools, and
// permission decisions.
func toolsRule() Rule {
	return Rule{[]string{"claude_tool_result_bytes_total", "claude_tool_errors_total", "claude_permission_decisions_total"}, func(tree *Tree, totals Totals) {
		for _, a := range tree.answers() {
			l := a.line
			if decision := l.Text("permissionDecision", "decision"); decision == "accept" || decision == "reject" {
				totals.Add(1, "claude_permission_decisions_total", "decision", decision, "source", l.permittedBy(), "project", l.project)
			}
			tool := "unknown"
			if a.call != nil && isText(a.call.At("name")) {
				tool = cleaned(a.call.Text("name"))
			}
			server := ""
			if parts := strings.SplitN(tool, "__", 3); len(parts) == 3 && parts[0] == "mcp" {
				server = parts[1]
			}
			totals.Add(sizeOf(a.result.At("content")), "claude_tool_result_bytes_total", "tool", tool, "mcp_server", server)
			if a.result.At("is_error") != true {
				continue
			}
			totals.Add(1, "claude_tool_errors_total", "tool", tool, "mcp_server", server, "reason", l.reason(a.result), "project", l.project, "agent", l.agent)
		}
	}}
}

// An answer is the first result of a call, and the first line of the call; both lines
// can be in any file.
type answer struct {
	line, from *Line // of the result, and of the call; from is nil if there is none
	call       Entry
	result     Entry
	first      bool // of the results of its line
}

// answers returns the first result of each call.
func (t *Tree) answers() (all []answer) {
	calls, lines, results := make(map[string]Entry), make(map[string]*Line), make(map[string]answer)
	var order []string
	for l := range t.lines() {
		for i, key := range l.calls {
			call := l.Calls()[i]
			if lines[key] == nil {
				calls[key], lines[key] = call, l
			}
			early := l.file.ids.early(call.Text("id"))
			if _, known := results[key]; isText(call.At("id")) && results[early].line != nil && !known {
				results[key] = results[early]
				order[slices.Index(order, early)] = key
				delete(results, early)
			}
		}
		for i, r := range l.results {
			if results[r.key].line == nil {
				results[r.key] = answer{line: l, result: r.Entry, first: i == 0}
				order = append(order, r.key)
			}
		}
	}
	for _, key := range order {
		a := results[key]
		a.call, a.from = calls[key], lines[key]
		all = append(all, a)
	}
	return all
}

func (l *Line) permittedBy() string {
	d := func(name string) string { return l.Text("permissionDecision", name) }
	byType := map[string]string{"rule": "rule", "subcommandResults": "rule", "mode": "mode"}
	bySource := map[string]string{"user_permanent": "session", "user_temporary": "once", "user_reject": "once", "user_abort": "once"}
	switch {
	case d("source") == "hook":
		return "hook"
	case byType[d("reasonType")] == "" && d("grantScope") == "session":
		return "session"
	}
	other := "other"
	if d("ruleSource") != "" {
		other = "rule"
	}
	return cmp.Or(byType[d("reasonType")], bySource[d("source")], other)
}

// reason returns why a tool failed.
func (l *Line) reason(result Entry) string {
	if l.Text("permissionDecision", "decision") == "reject" {
		if l.Text("permissionDecision", "source") == "hook" {
			return "hook"
		}
		return "permission"
	}
	said := textOf(result.At("content"))
	begins := func(start string) bool { return strings.HasPrefix(said, start) }
	has := func(part string, characters int) bool {
		return strings.Contains(string([]rune(said)[:min(characters, len([]rune(said)))]), part)
	}
	version, marked := l.Text("version"), l.At("toolDenialBeforeRun") == true
	switch all := len(said); {
	case begins("The user doesn't want") && !marked && versionPattern.MatchString(version) && comparableVersion(version) >= comparableVersion("2.1.326"):
		return "interrupted"
	case begins("The user doesn't want"), begins("User chose"), begins("User rejected"):
		return "user_rejected"
	case begins("[Request interrupted"):
		return "interrupted"
	case has("Sibling tool call errored", all), has("parallel tool call", all):
		return "sibling_cancelled"
	case begins("Exit code"):
		return "exit_code"
	case has("ermission", 120), has("requires approval", 160):
		return "permission"
	case has("InputValidationError", all), has("No such tool available", all):
		return "validation"
	case begins("<tool_use_error>"):
		return "tool_use_error"
	}
	return "other"
}

// textOf returns the text of the content of a result.
func textOf(content any) string {
	if isText(content) {
		return text(content)
	}
	parts, isList := content.([]any)
	if content != nil && !isList {
		return fmt.Sprint(content)
	}
	var texts []string
	for _, part := range parts {
		if t := member(part, "text"); isText(t) {
			texts = append(texts, text(t))
		}
	}
	return strings.Join(texts, " ")
}

// sizeOf returns the bytes of a result's texts, and of its images and documents in
// base64.
func sizeOf(content any) float64 {
	n := len(text(content))
	parts, _ := content.([]any)
	for _, part := range parts {
		n += len(text(member(part, "text"))) + len(text(member(part, "source", "data")))
	}
	return float64(n)
}

// A search is the request behind a call of WebSearch; no line has its usage.
type search struct {
	request
	from *Line // with the call, nil if there is none
}

// searches returns the searches of the tool WebSearch.
func (t *Tree) searches() (all []search) {
	for _, a := range t.answers() {
		n := a.line.Count("toolUseResult", "searchCount")
		if !a.first || n == 0 || a.call == nil || a.call.Text("name") != "WebSearch" {
			continue
		}
		s := search{request: request{at: a.line.counts, written: "unknown"}, from: a.from}
		s.usage = Entry{"server_tool_use": map[string]any{"web_search_requests": json.Number(strconv.FormatFloat(n, 'f', 0, 64))}}
		s.agent = a.from.agent
		if a.from.key != "" {
			s.written = a.from.Text("message", "model")
		}
		all = append(all, s)
	}
	return all
}

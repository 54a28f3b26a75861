package naive

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// hooksRule implements docs/design/work.md#hooks.
func hooksRule() Rule {
	return Rule{[]string{"claude_hook_runs_total", "claude_hook_duration_seconds"}, func(tree *Tree, totals Totals) {
		h := hooks{totals, make(set), make(map[string]int), make(map[string]int), make(map[string]int)}
		for l := range tree.lines() {
			switch {
			case l.Text("type") == "attachment":
				h.attachment(l)
			case l.Text("type") == "system" && l.Text("subtype") == "stop_hook_summary":
				h.summary(l)
			case l.Text("type") == "user" && len(l.results) > 0:
				h.denial(l)
			}
		}
	}}
}

// hookEvents are the values of the label event.
var hookEvents = strings.Fields(`
	PreToolUse PostToolUse PostToolUseFailure PermissionRequest PermissionDenied
	UserPromptSubmit Stop StopFailure SubagentStart SubagentStop
	SessionStart SessionEnd Notification PreCompact PostCompact Setup
	TaskCreated TaskCompleted TeammateIdle Elicitation ElicitationResult
	ConfigChange CwdChanged FileChanged WorktreeCreate WorktreeRemove
	InstructionsLoaded DirectoryAdded MessageDisplay
	PostToolBatch UserPromptExpansion PreModelSwitch PostModelSwitch PreSkillShellCommand`)

// hooks counts attachments before the summaries that repeat them. Transcripts have them
// in this order.
type hooks struct {
	totals Totals
	seen   set
	runs   map[string]int // in attachments, by trigger and command
	errors map[string]int // in attachments, by trigger

	blocked map[string]int // tool calls, by hooks in attachments
}

func (h *hooks) attachment(l *Line) {
	a := func(name string) string { return l.Text("attachment", name) }
	outcome := map[string]string{
		"hook_success": "success", "async_hook_response": "success",
		"hook_non_blocking_error": "error", "hook_error_during_execution": "error",
		"hook_blocking_error": "blocking", "hook_cancelled": "cancelled",
	}[a("type")]
	if a("type") == "async_hook_response" && l.Number("attachment", "exitCode") != 0 {
		outcome = "error"
	}
	if outcome == "" {
		return
	}
	trigger := l.At("attachment", "toolUseID")
	if !isText(trigger) {
		trigger = l.At("attachment", "processId")
	}
	command := cmp.Or(a("command"), l.Text("attachment", "blockingError", "command"))
	isNew := h.isNew(l)
	stated := fmt.Sprintf("%q", []any{
		l.Text("timestamp"), a("type"), trigger, a("hookEvent"), a("hookName"), command, l.Number("attachment", "durationMs"),
	})
	if !h.seen.first("attachment", stated) || !isNew {
		return
	}
	event := a("hookEvent")
	if !slices.Contains(hookEvents, event) {
		event = "other"
	}
	id, _ := trigger.(string)
	if outcome == "error" || outcome == "blocking" {
		h.errors[id]++
	}
	if event == "PreToolUse" && outcome == "blocking" {
		h.blocked[id]++
	}
	if id != "" && (event == "Stop" || event == "SubagentStop") {
		h.runs[id+"\x00"+command]++
	}
	h.run(event, outcome, l.At("attachment", "durationMs"))
}

func (h *hooks) summary(l *Line) {
	infos, trigger := l.Objects("hookInfos"), l.Text("toolUseID")
	event := cmp.Or(l.Text("hookLabel"), "Stop")
	if len(infos) == 0 || event != "Stop" && event != "SubagentStop" {
		return
	}
	isNew := h.isNew(l)
	if trigger != "" && !h.seen.first("summary", trigger) || !isNew {
		return
	}
	if l.side && l.file.kind == "" {
		event = "SubagentStop"
	}
	outcomes := h.summaryErrors(l, infos)
	repeated := make(map[string]int)
	for _, info := range infos {
		command := trigger + "\x00" + info.Text("command")
		if repeated[command]++; trigger != "" && repeated[command] <= h.runs[command] {
			continue
		}
		outcome := "success"
		if len(outcomes) > 0 {
			outcome, outcomes = outcomes[0], outcomes[1:]
		}
		h.run(event, outcome, info.At("durationMs"))
	}
}

// denial counts the hook that denied the call of a result, unless an attachment states
// it.
func (h *hooks) denial(l *Line) {
	decision, source, code := l.Text("permissionDecision", "decision"), l.Text("permissionDecision", "source"), l.Text("permissionDecision", "reasonCode")
	if decision != "reject" || source != "hook" || strings.HasPrefix(code, "hook:") && code != "hook:PreToolUse" {
		return
	}
	id := l.results[0].Text("tool_use_id")
	isNew := h.isNew(l)
	if isShortCall(id) {
		id = ""
	}
	if id != "" && !h.seen.first("summary", id) || !isNew {
		return
	}
	if id == "" || h.blocked[id] == 0 {
		h.run("PreToolUse", "blocking", nil)
	}
}

// summaryErrors returns the outcomes of the errors of a summary that no attachment
// states.
func (h *hooks) summaryErrors(l *Line, infos []Entry) (outcomes []string) {
	list, _ := l.At("hookErrors").([]any)
	for i, item := range list[:min(len(list), len(infos))] {
		text, _ := item.(string)
		outcome := "error"
		for _, info := range infos {
			if strings.HasPrefix(text, "["+info.Text("command")+"]:") {
				outcome = "blocking"
			}
		}
		if i >= h.errors[l.Text("toolUseID")] || l.Text("toolUseID") == "" {
			outcomes = append(outcomes, outcome)
		}
	}
	return outcomes
}

// isNew reports whether the line has a uuid that no earlier line had.
func (h *hooks) isNew(l *Line) bool {
	return !isText(l.At("uuid")) || h.seen.first("uuid", l.Text("uuid"))
}

func (h *hooks) run(event, outcome string, duration any) {
	h.totals.Add(1, "claude_hook_runs_total", "event", event, "outcome", outcome)
	if isNumber(duration) {
		h.totals.Observe(Entry{"": duration}.Number("")/1000, "claude_hook_duration_seconds", "event", event)
	}
}

// isResultType reports whether a block of a type is a result in an entry of a type.
func isResultType(entry, block string) bool {
	return entry == "user" && block == "tool_result" || entry == "assistant" && strings.HasSuffix(block, "tool_result")
}

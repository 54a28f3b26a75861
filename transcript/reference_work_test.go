package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// refFile returns the file of a tool call as a fact, if it has one.
func refFile(tool, session string, input refObject) []Fact {
	path, ok := refString(input["file_path"])
	if !ok {
		path, ok = refString(input["notebook_path"])
	}
	for operation, tools := range map[string]string{"read": "Read", "edited": "Edit MultiEdit NotebookEdit", "written": "Write"} {
		if ok && slices.Contains(strings.Fields(tools), tool) {
			return []Fact{{FileFact, KeyOf("file", session, operation, path), operation}}
		}
	}
	return nil
}

// refBackground returns the background work of an entry as a fact, if it states some.
func refBackground(e *Entry, o refObject) []Fact {
	if kind := refBackgroundKind(o.object("toolUseResult")); kind != "" && len(e.Results) > 0 {
		return []Fact{{BackgroundFact, e.Results[0].Key, kind}}
	}
	return nil
}

func refBackgroundKind(o refObject) string {
	status := o.str("status")
	_, isTask := refString(o["taskId"])
	_, hasTimeout := refNumber(o["timeoutMs"])
	_, hasType := refString(o["taskType"])
	_, isWorkflow := refString(o["workflowName"])
	switch {
	case o.str("backgroundTaskId") != "":
		return "shell"
	case hasType && isWorkflow:
		return "workflow"
	case status == "async_launched" || status == "remote_launched":
		return "agent"
	case status == "teammate_spawned":
		return "teammate"
	case isTask && hasTimeout:
		return "monitor"
	}
	return ""
}

func refCommit(o refObject) []Fact {
	if hash := o.object("gitOperation").object("commit").str("sha"); hash != "" {
		return []Fact{{CommitFact, KeyOf("commit", hash), ""}}
	}
	return nil
}

func refPullRequest(o refObject) []Fact {
	if url := o.str("prUrl"); url != "" {
		return []Fact{{PullRequestFact, KeyOf("pull request", url), ""}}
	}
	return nil
}

func refHookAttachment(a refObject, stamp string) *Hooks {
	outcome := map[string]string{
		"hook_success": "success", "hook_non_blocking_error": "error", "hook_error_during_execution": "error",
		"hook_blocking_error": "blocking", "hook_cancelled": "cancelled", "async_hook_response": "success",
	}[a.str("type")]
	if outcome == "" {
		return nil
	}
	if a.is("type", "async_hook_response") && refTruthy(a["exitCode"]) {
		outcome = "error"
	}
	trigger, ok := refString(a["toolUseID"])
	if !ok {
		trigger = a.str("processId")
	}
	command, ok := refString(a["command"])
	if !ok {
		inner := a.object("blockingError")
		command, ok = refString(inner["command"])
	}
	h := &Hooks{Event: a.str("hookEvent")}
	if !slices.Contains(HookEvents, h.Event) {
		h.Event = "other"
	}
	if trigger != "" {
		h.Trigger = KeyOf("hook trigger", trigger)
	}
	run := HookRun{Outcome: outcome}
	run.Timed, run.Milliseconds = refHookDuration(a)
	run.Key = KeyOf("hook", stamp, a.str("type"), trigger, a.str("hookEvent"), a.str("hookName"), command, strconv.FormatUint(run.Milliseconds, 10))
	if trigger != "" && ok && strings.HasSuffix(h.Event, "Stop") {
		run.Command = KeyOf("hook command", string(h.Trigger[:]), command)
	}
	if trigger != "" && h.Event == "PreToolUse" && outcome == "blocking" {
		run.Command = KeyOf("hook command", string(h.Trigger[:]), "")
	}
	h.Runs = []HookRun{run}
	return h
}

func refHookDuration(o refObject) (timed bool, milliseconds uint64) {
	n, ok := o.count("durationMs")
	_, isNumber := refNumber(o["durationMs"])
	return ok && isNumber, n
}

func refHookSummary(o refObject) *Hooks {
	h := &Hooks{Event: cmp.Or(o.str("hookLabel"), "Stop"), Summary: true}
	infos, trigger := refObjects(o["hookInfos"]), o.str("toolUseID")
	if len(infos) == 0 || !slices.Contains([]string{"Stop", "SubagentStop"}, h.Event) {
		return nil
	}
	if trigger != "" {
		h.Trigger = KeyOf("hook trigger", trigger)
	}
	var prefixes []string
	for _, info := range infos[:min(256, len(infos))] {
		var run HookRun
		run.Timed, run.Milliseconds = refHookDuration(info)
		command, ok := refString(info["command"])
		if ok && trigger != "" {
			run.Command = KeyOf("hook command", string(h.Trigger[:]), command)
		}
		prefixes = append(prefixes, "["+command+"]:")
		h.Runs = append(h.Runs, run)
	}
	for _, raw := range refList(o["hookErrors"]) {
		text, _ := refString(raw)
		if len(h.Errors) < len(h.Runs) {
			h.Errors = append(h.Errors, slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) }))
		}
	}
	return h
}

package transcript

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// Hooks are runs of hooks: a single run that an attachment states with its outcome, or
// the runs of a summary, written after all "Stop" hooks of a turn were run. The result
// of a tool call that a "PreToolUse" hook denied is the summary of one run.
type Hooks struct {
	Event   string // one of HookEvents
	Summary bool
	Runs    []HookRun // at most 256, and 4,096 of all summaries of a line
	// Errors are whether each error of a summary is a blocking error. The summary does
	// not state which runs they belong to. At most 256.
	Errors []bool
	// Trigger digests the tool call or the end of a turn that caused the run; zero if
	// that is not stated.
	Trigger Key
}

// A HookRun is one run of a hook.
type HookRun struct {
	// Key digests what an attachment states about the run, because copies in forks may
	// have new uuids. It is zero in summaries.
	Key Key
	// Command digests the trigger and the command, so an attachment and a summary of
	// the same run have equal values. It is zero if trigger or command is missing, or
	// the event has no summaries. The denial of a tool call does not state the command.
	Command      Key
	Outcome      string // such as HookSuccess; empty in summaries of several runs
	Timed        bool   // the duration is stated
	Milliseconds uint64
}

// The outcomes of a hook run.
const (
	HookSuccess   = "success"
	HookError     = "error" // the hook failed, without effect on the tool call or turn
	HookBlocking  = "blocking"
	HookCancelled = "cancelled"
)

// HookEvents are the values of Hooks.Event. It must not be modified.
var HookEvents = []string{
	"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied",
	"UserPromptSubmit", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
	"SessionStart", "SessionEnd", "Notification", "PreCompact", "PostCompact", "Setup",
	"TaskCreated", "TaskCompleted", "TeammateIdle", "Elicitation", "ElicitationResult",
	"ConfigChange", "CwdChanged", "FileChanged", "WorktreeCreate", "WorktreeRemove",
	"InstructionsLoaded", "PostToolBatch", "UserPromptExpansion", "PreModelSwitch", "PostModelSwitch",
	"DirectoryAdded", "MessageDisplay", "PreSkillShellCommand", "other",
}

const preToolUse = "PreToolUse"

// hookAttachment reads a hook run that is written as an attachment. Other attachments
// about hooks repeat parts of their output.
func (p *Parser) hookAttachment(e *Entry, a *rawAttachment) {
	outcome := a.hookOutcome()
	if outcome == "" {
		return
	}
	trigger, command := a.toolUse, a.command
	if !trigger.isString() {
		trigger = a.process
	}
	if !command.isString() {
		command = a.blocking.member("command")
	}
	h := &Hooks{Event: hookEvent(p.name(a.event)), Trigger: p.trigger(trigger)}
	run := HookRun{Outcome: outcome}
	run.Milliseconds, run.Timed = hookDuration(a.duration)
	p.digest.begin("hook")
	for _, part := range [...]rawValue{p.raw.timestamp, a.typ, trigger, a.event, a.name, command} {
		p.digest.add(p.text(part))
	}
	p.digest.add([]byte(strconv.FormatUint(run.Milliseconds, 10)))
	run.Key = p.digest.key()
	switch {
	case hasSummary(h.Event) && command.isString():
		run.Command = p.hookCommand(h.Trigger, p.text(command))
	case h.Event == preToolUse && outcome == HookBlocking:
		run.Command = p.hookCommand(h.Trigger, nil) // see denial
	}
	h.Runs = []HookRun{run}
	e.Hooks = h
}

// hookOutcome returns the outcome that an attachment states, "" if it is not about the
// end of a run.
func (a *rawAttachment) hookOutcome() string {
	switch typ := a.typ; {
	case typ.is("hook_success"):
		return HookSuccess
	case typ.is("hook_non_blocking_error"), typ.is("hook_error_during_execution"):
		return HookError
	case typ.is("hook_blocking_error"):
		return HookBlocking
	case typ.is("hook_cancelled"):
		return HookCancelled
	case typ.is("async_hook_response") && a.exitCode.truthy():
		return HookError
	case typ.is("async_hook_response"):
		return HookSuccess
	}
	return ""
}

func hookEvent(name string) string {
	if i := slices.Index(HookEvents, name); i >= 0 {
		return HookEvents[i]
	}
	return "other"
}

// hasSummary reports whether the runs for an event are also written as a summary.
func hasSummary(event string) bool { return event == "Stop" || event == "SubagentStop" }

func (p *Parser) trigger(v rawValue) Key {
	if id := p.text(v); len(id) > 0 {
		return keyOfBytes("hook trigger", id)
	}
	return Key{}
}

func (p *Parser) hookCommand(trigger Key, command []byte) Key {
	if trigger.IsZero() {
		return Key{}
	}
	p.digest.begin("hook command")
	p.digest.add(trigger[:])
	p.digest.add(command)
	return p.digest.key()
}

// hookSummaryKeys are the members of a summary of hooks.
var hookSummaryKeys = []string{"toolUseID", "hookLabel", "hookInfos", "hookErrors"}

// hookSummary reads the summary of the hooks that ran when a turn ended. It does not
// state whether a sub-agent had the turn. A summary with the label of another event
// would repeat attachments.
func (p *Parser) hookSummary(e *Entry) {
	var v [4]rawValue
	c := newCursor(p.cursor.b)
	c.pick(hookSummaryKeys, v[:])
	h := &Hooks{Event: hookEvent(cmp.Or(p.name(v[1]), "Stop")), Summary: true, Trigger: p.trigger(v[0])}
	var commands [][]byte
	limit := min(maxHooks, p.left.hookRuns)
	for info := range v[2].elements() {
		if !info.isObject() || len(h.Runs) == limit {
			continue
		}
		var run HookRun
		var decoded []byte
		command := info.member("command").text(&decoded)
		if command != nil {
			run.Command = p.hookCommand(h.Trigger, command)
		}
		commands = append(commands, command)
		run.Milliseconds, run.Timed = hookDuration(info.member("durationMs"))
		h.Runs = append(h.Runs, run)
	}
	p.left.hookRuns -= len(h.Runs)
	for text := range v[3].elements() {
		if len(h.Errors) < len(h.Runs) {
			h.Errors = append(h.Errors, isBlocking(p.text(text), commands))
		}
	}
	if hasSummary(h.Event) && len(h.Runs) > 0 {
		e.Hooks = h
	}
}

func hookDuration(v rawValue) (milliseconds uint64, stated bool) {
	milliseconds, ok := v.count()
	return milliseconds, ok && v.isNumber()
}

// isBlocking reports whether the text of an error begins like the text of a blocking
// hook: with its command in brackets.
func isBlocking(text []byte, commands [][]byte) bool {
	rest, ok := bytes.CutPrefix(text, []byte("["))
	return ok && slices.ContainsFunc(commands, func(command []byte) bool {
		after, ok := bytes.CutPrefix(rest, command)
		return ok && bytes.HasPrefix(after, []byte("]:"))
	})
}

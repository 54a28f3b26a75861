package transcript

import (
	"fmt"
	"strings"
	"testing"
)

func TestHookAttachments(t *testing.T) {
	trigger := KeyOf("hook trigger", "t")
	command := KeyOf("hook command", string(trigger[:]), "c")
	for _, tt := range []struct {
		name, attachment string
		event            string
		run              HookRun // without its key
	}{
		{"success", `"type":"hook_success","hookEvent":"PreToolUse","command":"c","durationMs":12`, "PreToolUse", HookRun{Outcome: "success", Timed: true, Milliseconds: 12}},
		{"error", `"type":"hook_non_blocking_error","hookEvent":"PostToolUse","command":"c","durationMs":0`, "PostToolUse", HookRun{Outcome: "error", Timed: true}},
		{"failed to run", `"type":"hook_error_during_execution","hookEvent":"SessionStart","command":"c"`, "SessionStart", HookRun{Outcome: "error"}},
		{"blocking", `"type":"hook_blocking_error","hookEvent":"Stop","blockingError":{"blockingError":"no","command":"c"}`, "Stop", HookRun{Outcome: "blocking", Command: command}},
		{"cancelled", `"type":"hook_cancelled","hookEvent":"SubagentStop","command":"c","durationMs":"3"`, "SubagentStop", HookRun{Outcome: "cancelled", Command: command}},
		{"too long", `"type":"hook_success","hookEvent":"Setup","command":"c","durationMs":1e99`, "Setup", HookRun{Outcome: "success"}},
		{"asynchronous", `"type":"async_hook_response","hookEvent":"SessionEnd","exitCode":0`, "SessionEnd", HookRun{Outcome: "success"}},
		{"asynchronous failure", `"type":"async_hook_response","hookEvent":"Notification","exitCode":1`, "Notification", HookRun{Outcome: "error"}},
		{"new event", `"type":"hook_success","hookEvent":"PreSkillShellCommand"`, "PreSkillShellCommand", HookRun{Outcome: "success"}},
		{"unknown event", `"type":"hook_success","hookEvent":"Invented"`, "other", HookRun{Outcome: "success"}},
		{"no command", `"type":"hook_success","hookEvent":"Stop","durationMs":1`, "Stop", HookRun{Outcome: "success", Timed: true, Milliseconds: 1}},
	} {
		e := parseOne(t, `{"type":"attachment","uuid":"u","attachment":{"toolUseID":"t",`+tt.attachment+`}}`)
		if e.Hooks == nil || len(e.Hooks.Runs) != 1 || e.Hooks.Runs[0].Key.IsZero() {
			t.Errorf("%s: got %+v", tt.name, e.Hooks)
			continue
		}
		tt.run.Key = e.Hooks.Runs[0].Key
		equal(t, tt.name, *e.Hooks, Hooks{Event: tt.event, Trigger: trigger, Runs: []HookRun{tt.run}})
		equal(t, tt.name, e.UUID, KeyOf("uuid", "u"))
	}
}

// Attachments with the output of hooks are no runs.
func TestNoHookRuns(t *testing.T) {
	for _, attachment := range []string{
		`{"type":"hook_additional_context","hookEvent":"SessionStart"}`, `{"type":"hook_system_message","hookEvent":"Stop"}`,
		`{"type":"hook_stopped_continuation"}`, `{"type":"hook_permission_decision"}`, `{"type":"file"}`, `["hook_success"]`, `"hook_success"`, `{}`,
	} {
		if e := parseOne(t, `{"type":"attachment","uuid":"u","attachment":`+attachment+`}`); e.Hooks != nil || !e.UUID.IsZero() {
			t.Errorf("%s: got %+v", attachment, e)
		}
	}
	if e := parseOne(t, `{"type":"progress","data":{"type":"hook_progress","hookEvent":"Stop"},"attachment":{"type":"hook_success"}}`); e.Hooks != nil {
		t.Errorf("progress: got %+v", e.Hooks)
	}
}

// The key of a run depends on everything that the attachment states.
func TestHookRunKeys(t *testing.T) {
	keys := make(map[Key]string)
	for _, attachment := range []string{
		`"type":"hook_success","hookEvent":"Stop","hookName":"Stop","toolUseID":"t","command":"c","durationMs":1`,
		`"type":"hook_cancelled","hookEvent":"Stop","hookName":"Stop","toolUseID":"t","command":"c","durationMs":1`,
		`"type":"hook_success","hookEvent":"Setup","hookName":"Stop","toolUseID":"t","command":"c","durationMs":1`,
		`"type":"hook_success","hookEvent":"Stop","hookName":"x","toolUseID":"t","command":"c","durationMs":1`,
		`"type":"hook_success","hookEvent":"Stop","hookName":"Stop","toolUseID":"u","command":"c","durationMs":1`,
		`"type":"hook_success","hookEvent":"Stop","hookName":"Stop","toolUseID":"t","command":"d","durationMs":1`,
		`"type":"hook_success","hookEvent":"Stop","hookName":"Stop","toolUseID":"t","command":"c","durationMs":2`,
		`"type":"hook_success","hookEvent":"Stop","hookName":"Stop","processId":"p","command":"c","durationMs":2`,
		`"type":"hook_success","hookEvent":"Stop","hookName":"Stop","processId":"q","command":"c","durationMs":2`,
	} {
		for _, stamp := range []string{"2026-05-01T00:00:00.000Z", "2026-05-01T00:00:00.001Z"} {
			key := parseOne(t, fmt.Sprintf(`{"type":"attachment","timestamp":%q,"attachment":{%s}}`, stamp, attachment)).Hooks.Runs[0].Key
			if other, ok := keys[key]; ok {
				t.Errorf("%s has the key of %s", attachment, other)
			}
			keys[key] = attachment
		}
	}
}

func TestHookSummaries(t *testing.T) {
	trigger := KeyOf("hook trigger", "t")
	run := func(command string, milliseconds uint64, timed bool) HookRun {
		return HookRun{Command: KeyOf("hook command", string(trigger[:]), command), Timed: timed, Milliseconds: milliseconds}
	}
	for _, tt := range []struct {
		fields string
		want   *Hooks
	}{
		{`"hookInfos":[{"command":"a","durationMs":5},{"command":"b"}],"hookErrors":["[b]: no","Failed with non-blocking status code: x","third"]`, &Hooks{
			Event: "Stop", Summary: true, Trigger: trigger, Runs: []HookRun{run("a", 5, true), run("b", 0, false)}, Errors: []bool{true, false},
		}},
		{`"hookLabel":"SubagentStop","hookInfos":[{"command":"a"},"b",null],"hookErrors":["[ab]: no"]`, &Hooks{
			Event: "SubagentStop", Summary: true, Trigger: trigger, Runs: []HookRun{run("a", 0, false)}, Errors: []bool{false},
		}},
		{`"hookInfos":[{"command":7}],"hookErrors":"no"`, &Hooks{Event: "Stop", Summary: true, Trigger: trigger, Runs: []HookRun{{}}}},
		{`"hookLabel":"PreToolUse","hookInfos":[{"command":"a"}]`, nil},
		{`"hookInfos":[],"hookErrors":["x"]`, nil},
		{`"hookCount":3`, nil},
	} {
		e := parseOne(t, `{"type":"system","subtype":"stop_hook_summary","uuid":"u","toolUseID":"t",`+tt.fields+`}`)
		equal(t, tt.fields, e.Hooks, tt.want)
	}
	many := parseOne(t, `{"type":"system","subtype":"stop_hook_summary","hookInfos":[{}`+strings.Repeat(",{}", 999)+`],"hookErrors":[""`+strings.Repeat(`,""`, 999)+`]}`)
	equal(t, "runs", len(many.Hooks.Runs), 256)
	equal(t, "errors", len(many.Hooks.Errors), 256)
}

// The summaries of one line have at most 4,096 runs together; the next line has its own
// limit.
func TestHookRunsOfLine(t *testing.T) {
	summary := func(runs int) string {
		return `{"type":"system","subtype":"stop_hook_summary","uuid":"u","hookErrors":["",""],"hookInfos":[{}` + strings.Repeat(",{}", runs-1) + `]}`
	}
	line := []byte(summary(255) + strings.Repeat(summary(999), 15) + summary(3) + summary(1) + `{"type":"mode"}`)
	p := NewParser()
	for range 2 {
		var buffer Buffer
		p.Parse(line, false, &buffer)
		equal(t, "entries", len(buffer.Entries), 19)
		runs := 0
		for _, e := range buffer.Entries[:16] {
			runs += len(e.Hooks.Runs)
		}
		equal(t, "runs", runs, 4095)
		equal(t, "last run", buffer.Entries[16].Hooks, &Hooks{Event: "Stop", Summary: true, Runs: []HookRun{{}}, Errors: []bool{false}})
		equal(t, "later runs", buffer.Entries[17], Entry{Type: "system"})
	}
}

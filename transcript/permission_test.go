package transcript

import "testing"

// denied is a user entry with a failed result.
func denied(fields, text string) string {
	return `{"type":"user",` + fields + `"uuid":"u","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_0000001","is_error":true,"content":"` + text + `"}]}}`
}

const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected"

func TestStatedErrorReason(t *testing.T) {
	for _, tt := range []struct{ fields, text, want string }{
		{`"permissionDecision":{"decision":"reject","source":"hook"},`, "Exit code 1", "hook"},
		{`"permissionDecision":{"decision":"reject","source":"config","reasonType":"hook"},`, "PreToolUse:Bash hook error", "permission"},
		{`"permissionDecision":{"decision":"reject"},`, refusal, "permission"},
		{`"permissionDecision":{"decision":"accept","source":"hook"},`, "Exit code 1", "exit_code"},
		{`"permissionDecision":"reject",`, "Exit code 1", "exit_code"},

		{`"version":"2.1.332",`, refusal, "interrupted"},
		{`"version":"2.1.326",`, refusal, "interrupted"},
		{`"version":"2.1.325",`, refusal, "user_rejected"},
		{`"version":"2.1.1000",`, refusal, "interrupted"},
		{`"version":"2.2",`, refusal, "interrupted"},
		{`"version":"10",`, refusal, "interrupted"},
		{`"version":"2.1",`, refusal, "user_rejected"},
		{`"version":"1.9.999",`, refusal, "user_rejected"},
		{`"version":"new",`, refusal, "user_rejected"},
		{``, refusal, "user_rejected"},
		{`"version":"2.1.332","toolDenialBeforeRun":true,`, refusal, "user_rejected"},
		{`"version":"2.1.332","toolDenialBeforeRun":false,`, refusal, "interrupted"},
		{`"version":"2.1.332",`, "User rejected it", "user_rejected"},
	} {
		equal(t, tt.fields+tt.text, parseOne(t, denied(tt.fields, tt.text)).Results[0].Reason, tt.want)
	}
}

func TestPermission(t *testing.T) {
	for _, tt := range []struct {
		decision string
		want     Permission
	}{
		{`{"decision":"accept","source":"config","reasonType":"rule","ruleSource":"cliArg"}`, Permission{"accept", "rule"}},
		{`{"decision":"accept","source":"config","reasonType":"subcommandResults"}`, Permission{"accept", "rule"}},
		{`{"decision":"accept","source":"config","reasonType":"mode"}`, Permission{"accept", "mode"}},
		{`{"decision":"accept","source":"user_temporary","grantScope":"once","reasonCode":"unknown"}`, Permission{"accept", "once"}},
		{`{"decision":"accept","source":"user_temporary","grantScope":"session","reasonCode":"unknown"}`, Permission{"accept", "session"}},
		{`{"decision":"accept","source":"user_permanent","reasonCode":"unknown"}`, Permission{"accept", "session"}},
		{`{"decision":"accept","source":"user_temporary","reasonType":"rule","ruleSource":"session"}`, Permission{"accept", "rule"}},
		{`{"decision":"accept","source":"user_permanent","reasonType":"rule","ruleSource":"localSettings"}`, Permission{"accept", "rule"}},
		{`{"decision":"accept","source":"config"}`, Permission{"accept", "other"}},
		{`{"decision":"accept","source":"classifier","reasonType":"classifier"}`, Permission{"accept", "other"}},
		{`{"decision":"accept","source":"hook","reasonType":"hook"}`, Permission{"accept", "hook"}},
		{`{"decision":"reject","source":"user_reject"}`, Permission{"reject", "once"}},
		{`{"decision":"reject","source":"user_abort"}`, Permission{"reject", "once"}},
		{`{"decision":"reject","source":"config","reasonCode":"subcommandResults"}`, Permission{"reject", "other"}},
		{`{"decision":"reject","source":"config","reasonCode":"rule:cliArg","reasonType":"subcommandResults"}`, Permission{"reject", "rule"}},
		{`{"decision":"reject","source":"config","ruleSource":"userSettings","reasonCode":"rule:userSettings"}`, Permission{"reject", "rule"}},
		{`{"decision":"accept","source":"user_temporary","ruleSource":"userSettings","grantScope":"once"}`, Permission{"accept", "once"}},
		{`{"decision":"cancelled","source":"hook"}`, Permission{}},
		{`{"source":"hook"}`, Permission{}},
		{`null`, Permission{}},
	} {
		e := parseOne(t, denied(`"permissionDecision":`+tt.decision+`,`, "x"))
		equal(t, tt.decision, e.Results[0].Permission, tt.want)
	}
}

// A hook that denies a call blocks it, and the attachment about it agrees.
func TestDenial(t *testing.T) {
	trigger := KeyOf("hook trigger", "toolu_0000001")
	command := KeyOf("hook command", string(trigger[:]), "")
	want := Hooks{Event: "PreToolUse", Summary: true, Trigger: trigger, Runs: []HookRun{{Command: command, Outcome: HookBlocking}}}
	for _, code := range []string{``, `,"reasonCode":"hook:PreToolUse"`, `,"reasonCode":"unknown"`} {
		e := parseOne(t, denied(`"permissionDecision":{"decision":"reject","source":"hook"`+code+`},`, "x"))
		equal(t, code, *e.Hooks, want)
		equal(t, "uuid", e.UUID, KeyOf("uuid", "u"))
	}
	a := parseOne(t, `{"type":"attachment","attachment":{"type":"hook_blocking_error","hookEvent":"PreToolUse","toolUseID":"toolu_0000001","command":"c"}}`)
	equal(t, "attachment", a.Hooks.Runs[0].Command, command)
	short := parseOne(t, `{"type":"user","permissionDecision":{"decision":"reject","source":"hook"},"message":{"content":[{"type":"tool_result","tool_use_id":"call_0"}]}}`)
	equal(t, "short id", *short.Hooks, Hooks{Event: "PreToolUse", Summary: true, Runs: []HookRun{{Outcome: HookBlocking}}})
	for _, decision := range []string{
		`{"decision":"reject","source":"hook","reasonCode":"hook:PermissionRequest"}`,
		`{"decision":"accept","source":"hook"}`, `{"decision":"reject","source":"config"}`,
	} {
		equal(t, decision, parseOne(t, denied(`"permissionDecision":`+decision+`,`, "x")).Hooks, nil)
	}
}

func TestSearches(t *testing.T) {
	for count, want := range map[string]uint64{`3`: 3, `0`: 0, `-1`: 0, `"3"`: 0, `2.9`: 2, `null`: 0} {
		e := parseOne(t, `{"type":"user","toolUseResult":{"query":"q","searchCount":`+count+`},"message":{"content":[
			{"type":"tool_result","tool_use_id":"toolu_0000001"},{"type":"tool_result","tool_use_id":"toolu_0000002"}]}}`)
		equal(t, count, e.Results[0].Searches, want)
		equal(t, "second result", e.Results[1].Searches, 0)
	}
}

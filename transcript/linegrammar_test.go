package transcript

// shapes is the grammar of generated lines. Each member of an object has a key and its
// possible values, and @name refers to another shape or to words.
var shapes = map[string][][]string{
	"entry": {
		{"type", `"user"`, `"assistant"`, `"user"`, `"assistant"`, `"system"`, `"attachment"`, `"queue-operation"`, `"mode"`, `"new"`, `"cost-state"`, `"permission-mode"`, `"pr-link"`, `"attachment"`, `"api-request-blob"`, `"api-request-blob"`, `"new_tool_use"`, `"a b"`, `"api-request-shape"`},
		{"message", `@message`, `@message`, `@message`}, {"message", `@message`}, {"type", `"user"`, `"assistant"`, `"api-request-blob"`, `"user"`},
		{"toolUseResult", `@edit`, `"Error: x"`},
		{"uuid", `"u1"`, `""`}, {"parentUuid", `"u0"`, `"u\u0030"`, `""`, `null`}, {"sessionId", `"s1"`, `"s2"`, `""`}, {"leafUuid", `1`}, {"messageId", `null`},
		{"timestamp", `"2026-02-03T04:05:06.789Z"`, `"2026-02-29T04:05:06.789Z"`, `"2026-02-03T05:05:06+01:00"`, `"now"`},
		{"requestSessionId", `"s1"`, `"s\u0031"`, `"s2"`, `""`, `@any`}, {"forkedFrom", `{"sessionId":"s1"}`, `{"sessionId":"s2","messageUuid":"u1"}`, `{"sessionId":@any}`, `@any`},
		{"cwd", `"/home/é"`, `"C:\\x"`}, {"isSidechain", `true`, `false`},
		{"requestRef", `"r1"`, `"r\u0031"`, `"r2"`, `""`, `@any`}, {"requestId", `"req_1"`, `""`, `@any`}, {"apiBlockIndex", `0`, `1`, `12`, `@number`},
		{"isMeta", `true`, `false`}, {"isCompactSummary", `true`, `false`}, {"isVisibleInTranscriptOnly", `true`, `false`}, {"turnCompanion", `true`, `false`, `"true"`},
		{"origin", `{"kind":"human"}`, `{"kind":null}`, `{"kind":"peer"}`, `{}`}, {"promptSource", `"sdk"`, `"system"`, `"typed"`, `@any`}, {"entrypoint", `"sdk-ts"`, `"cli"`, `"new"`},
		{"permissionDecision", `@decision`, `@decision`, `@any`}, {"toolDenialBeforeRun", `true`, `false`}, {"apiErrorType", `"overloaded_error"`, `"invalid_request_error"`, `"api_error"`, `@any`},
		{"permissionMode", `"plan"`, `"auto"`, `"new"`, `@any`}, {"effort", `"high"`, `"low"`, `"new"`}, {"perTurnEffort", `null`, `"max"`, `@any`}, {"version", `"2.1.97"`, `"2.1.259"`, `"2.1.260"`, `"1.0"`, `"2.01"`, `"3"`, `"2.1.325"`, `"2.1.326"`, `"2.2"`, `"10"`, `@text`},
		{"isApiErrorMessage", `true`, `true`, `false`}, {"error", `"rate_limit"`, `"unknown"`, `"server_error"`, `"new"`, `""`, `@failure`},
		{"quotaLimits", `@quota`, `@quota`, `@any`},
		{"apiError", `"max_output_tokens"`, `"model_requires_usage_credits"`}, {"apiErrorStatus", `529`, `"5\u000029"`, `5e2`, `""`}, {"cause", `{"code":"E1"}`, `{"code":0}`},
		{"subtype", `"api_error"`, `"turn_duration"`, `"compact_boundary"`, `"local_command"`, `"stop_hook_summary"`, `"stop_hook_summary"`, `"informational"`, `"new"`},
		{"compactMetadata", `{"trigger":"auto","preTokens":12}`, `{"preTokens":@number,"trigger":@any}`, `{"postTokens":@number,"durationMs":@number}`}, {"durationMs", `@number`}, {"pendingBackgroundAgentCount", `@number`, `1`, `0`, `@any`}, {"pendingWorkflowCount", `@number`, `1`},
		{"diagnostics", `@diagnostics`, `@any`},
		{"attributionSkill", `"review"`, `"a:b"`, `""`, `@any`}, {"attributionAgent", `"Expl\u006fre"`, `@text`}, {"attributionPlugin", `"a"`, `@any`}, {"attributionMcpServer", `"plugin:a:s"`, `@any`},
		{"attachment", `@attachment`, `@attachment`}, {"operation", `"enqueue"`, `"x"`, `""`},
		{"usage", `@usage`, `1`}, {"content", `@text`, `[@block,@any]`, `@text`}, {"modelUsage", `{"m":@reported,"n[1m]":@reported}`, `{"m":@reported,"\u006d":@reported,"":@any}`, `@any`},
		{"prUrl", `"https://x/1"`, `""`, `@any`}, {"toolUseID", `"t1"`, `"t1"`, `""`, `@any`}, {"hookLabel", `"Stop"`, `"PreToolUse"`, `""`},
		{"shape", `@verbose`, `@any`}, {"hookInfos", `[@hook]`, `[@hook,@any,@hook]`, `@any`}, {"hookErrors", `["[x]: y"]`, `["[x]:","x",@any]`, `@any`},
	},
	"message": {
		{"content", `[@block]`, `[@block,@block]`, `[@block,@block,@any]`, `@text`, `[@text]`, `[]`}, {"usage", `@usage`, `@usage`}, {"content", `[@block]`, `@text`},
		{"id", `"m1"`, `""`, `"msg_genuine_of_Claude"`, `"twenty_characters_\u00e9é"`, `"nineteen_characters"`}, {"model", `"claude-x"`, `"<synthetic>"`, `"a\u0000b"`, `""`}, {"stop_reason", `"end_turn"`, `null`, `"new"`, `0`, `[ ]`, `{ }`, `1e-999`, `true`}, {"stop_details", `null`, `{}`},
		{"diagnostics", `@diagnostics`, `@diagnostics`, `@any`},
	},
	"diagnostics": {{"cache_miss_reason", `{"type":"model_changed"}`, `{"type":"model\u005fchanged"}`, `{"type":"tools_changed"}`, `@any`}},
	"block": {
		{"type", `"text"`, `"tool_use"`, `"tool_result"`, `"tool_result"`, `"web_search_tool_result"`, `"server_tool_use"`, `"mcp_tool_use"`, `"image"`, `"document"`, `"new"`, `"new_tool_use"`, `"new_tool_result"`, `"my tool_use"`},
		{"text", `@text`, `@text`}, {"id", `"t1"`, `""`, `"toolu_twelve"`, `"toolu_elev\u00e9"`}, {"input", `@input`, `@input`, `@any`}, {"name", `"Read"`, `"Edit"`, `"Bash"`, `"Skill"`, `"mcp__s__t"`, `"mcp__\n__t"`}, {"tool_use_id", `"t1"`, `"t\u0032"`, `"toolu_twelve"`}, {"is_error", `true`, `true`, `false`},
		{"input", `{"skill":@text,"command":"c"}`, `{"command":@text}`, `{"skill":@any,"skill":"s"}`, `@any`},
		{"content", `@text`, `[{"text":@text},{"text":@text},{"source":{"data":@text}}]`, `[@block,@any]`, `{"e":"No such tool available"}`},
	},
	"usage": {
		{"input_tokens", `@number`}, {"output_tokens", `@number`}, {"cache_read_input_tokens", `@number`}, {"cache_creation_input_tokens", `@number`},
		{"cache_creation", `{"ephemeral_5m_input_tokens":@number,"ephemeral_1h_input_tokens":@number}`, `{"ephemeral_24h_input_tokens":@number}`},
		{"output_tokens_details", `{"thinking_tokens":@number}`, `{"thinking_tokens":@number,"a":1}`}, {"server_tool_use", `{"web_search_requests":@number,"web_fetch_requests":@number}`},
		{"iterations", `[@iteration]`, `[@iteration,@any,@iteration]`, `[]`}, {"service_tier", `"standard"`, `null`, `"new"`}, {"inference_geo", `""`, `"us"`, `"u\u0073"`, `null`, `@any`}, {"speed", `"fast"`, `"standard"`, `"FAST"`, `"f\u0061st"`, `@any`}, {"fallback_credit", `@number`},
		{"new_tokens", `@any`, `@number`}, {"new_tokens", `"x"`, `{"a":[@any]}`}, {"é", `@any`}, {"server_tool_use", `{"new_requests":@number,"new_requests":@any,"\u006ew":@any}`},
	},
	"reported": {
		{"inputTokens", `@number`}, {"costUSD", `@number`, `0.1234567895`}, {"outputTokens", `@number`}, {"thinkingTokens", `@number`},
		{"cacheReadInputTokens", `@number`}, {"cacheCreationInputTokens", `@number`}, {"webSearchRequests", `@number`}, {"contextWindow", `@number`, `@any`},
	},
	"iteration": {
		{"type", `"advisor_message"`, `"advisor_mess\u0061ge"`, `"message"`, `"compaction"`, `"new"`, `"a\u0062"`, `null`}, {"model", `"adv"`, `"\u0007"`}, {"input_tokens", `@number`}, {"output_tokens", `@number`},
		{"cache_creation", `{"ephemeral_1h_input_tokens":@number}`}, {"speed", `"fast"`, `"standard"`, `null`, `@any`}, {"inference_geo", `"us"`, `""`, `null`},
	},
	"edit": {
		{"type", `"create"`, `"create"`, `"update"`}, {"content", `@text`, `""`},
		{"gitOperation", `{"commit":{"sha":"abc"}}`, `{"commit":{"sha":@any}}`, `{"commit":@any}`, `@any`}, {"backgroundTaskId", `"b1"`, `""`, `@any`},
		{"searchCount", `@number`, `3`},
		{"status", `"async_launched"`, `"remote_launched"`, `"completed"`}, {"taskId", `"t1"`, `@any`}, {"timeoutMs", `@number`}, {"workflowName", `"w"`, `@any`}, {"taskType", `"local_workflow"`, `@any`},
		{"structuredPatch", `[{"lines":["+a","-b","","\u002bc",@any]}]`, `[]`, `[@any,{"lines":@any}]`},
	},
	"decision": {
		{"decision", `"accept"`, `"reject"`, `"r\u0065ject"`, `@any`}, {"source", `"config"`, `"hook"`, `"user_temporary"`, `"user_permanent"`, `"user_reject"`, `"classifier"`, `@any`},
		{"reasonType", `"rule"`, `"mode"`, `"subcommandResults"`, `"hook"`, `@any`}, {"ruleSource", `"userSettings"`, `""`, `@any`}, {"grantScope", `"once"`, `"session"`, `@any`}, {"reasonCode", `"hook:PreToolUse"`, `"hook:PermissionRequest"`, `"unknown"`, `@any`},
	},
	"failure": {{"message", `"Request timed out."`, `@text`}, {"status", `529`, `5.0`, `"5"`}, {"cause", `{"code":"E2"}`, `{}`, `"x"`}, {"connection", `{"code":@any}`}},
	"quota": {
		{"status", `"rejected"`, `"rejected"`, `"reject\u0065d"`, `"allowed"`}, {"rateLimitType", `"five_hour"`, `"seven_day"`, `"new"`, `""`, `@any`},
		{"resetsAt", `1790409000`, `@number`, `@any`},
	},
	"attachment": {
		{"type", `"queued_command"`, `"queued_command"`, `"file"`, `"plan_mode_exit"`}, {"commandMode", `"prompt"`, `"prompt"`, `"bash"`},
		{"type", `"hook_success"`, `"hook_non_blocking_error"`, `"hook_blocking_error"`, `"async_hook_response"`, `"hook_cancelled"`, `"queued_command"`, `"queued_command"`, `"hook_error_during_execution"`},
		{"hookEvent", `"Stop"`, `"SubagentStop"`, `"PreToolUse"`, `"New"`, `@any`}, {"hookName", `"Stop:x"`}, {"toolUseID", `"t1"`, `@any`}, {"processId", `"p"`, `@any`},
		{"command", `"x"`, `@any`}, {"blockingError", `{"command":"x"}`, `{"command":@any}`, `@any`}, {"durationMs", `@number`}, {"exitCode", `@number`, `0`, `@any`},
		{"prompt", `@text`, `[@block,@block]`}, {"isMeta", `true`, `false`}, {"origin", `{"kind":"human"}`, `{"kind":"x"}`},
	},
	// The lines that hold prompts and descriptions of tools.
	"verbose entry": {
		{"type", `"api-request-shape"`, `"user"`}, {"sessionId", `"s1"`}, {"shape", `@verbose`}, {"attachment", `@verbose`, `@verbose`, `@any`}, {"type", `"attachment"`, `"api-request-shape"`},
		{"timestamp", `"2026-02-03T04:05:06.789Z"`}, {"message", `@message`}, {"version", `"2.1.332"`}, {"attachment", `@verbose`},
	},
	"verbose": {
		{"type", `"prompt_snapshot"`, `"queued_command"`}, {"tools", `[@odd,@odd]`, `[@any]`, `[]`, `@any`}, {"type", `"prompt_snapshot"`, `"queued_command"`, `"prompt_snapsho\u0074"`}, {"commandMode", `"prompt"`},
		{"prompt", `[@block]`, `@text`, `[@text]`}, {"system", `[@block,@text]`, `@any`}, {"systemPrompt", `[@text,@text]`, `[@any]`, `@text`}, {"tools", `[@block]`},
	},
	"hook":  {{"command", `"x"`, `"x"`, `@any`}, {"durationMs", `@number`}},
	"input": {{"file_path", `"/a"`, `"\u002fa"`, `@any`}, {"notebook_path", `"/b"`, `@any`}, {"content", `@text`}},
	"odd":   {{"", `@any`}, {"a", `@any`, `@any`}, {"b", `@any`}, {"b", `@any`}, {"é", `@any`}},
}

// words are the possible values of shapes that are not objects.
var words = map[string][]string{
	"any": {`null`, `true`, `false`, `1`, `"x"`, `[]`, `{}`, `""`, `[null]`, `[@any,@any]`, `@odd`, `@number`, `@text`, `@block`, `@message`},
	"number": {
		`1`, `0`, `-0`, `-7`, `1.9`, `1e3`, `12E-1`, `9007199254740992`, `9007199254740993`, `9007199254740992.0`,
		`18446744073709551616`, `1e999`, `-1e999`, `1e-999`, `999999999999999999`, `"1"`, `null`,
	},
	"text": {
		`"do it"`, `" /comp\u0061ct\n"`, `"Warmup"`, `"+x"`, `""`, `"Exit code 1"`, `"\n <system-reminder>"`, `"<ide_selection>"`, `"<command-name>/a b</command-name>"`,
		`"<command-message>x</command-message><command-name>y</command-name>"`, `"<bash-input>ls"`, `"\u2003[Request interrupted by user]"`,
		`"API Error: 529 x"`, `"API Error: Request timed out."`, `"The user doesn't want to proceed with this tool use."`, `"You've hit your Opus limit · resets 3pm"`, `"You've hit your session limit · resets 1:50pm (Europe/Berlin)"`, `"You've reached your Fable 5 limit"`, `"You've hit your limit"`, `"AI usage limit reached|1790409000"`, `"API Error: 5290 or 429"`, `"a\r\nb\u2028c"`, `"\ud83d\ude00 \ud83d \ude00"`, "\"\xff \xc3\xa9 \xed\xa0\x80\"", `"\"\\\/\b\f\n\r\t"`,
		`"<task-notification>\n<tool-use-id> t\u0031\n</tool-use-id>"`, `"<task-notification><tool-use-id>t1"`,
		`"permission, 60 bytes and more, so that it takes several words of eight"`,
	},
}

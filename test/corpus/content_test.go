package corpus_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// The smallest corpus contains everything.
func TestSmallestCorpusHasEverything(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	ccwatchd := build(t)
	for seed := range uint64(6) {
		dir, summary := generate(t, corpus.Options{Seed: seed})
		if summary.Bytes > 8<<20 { // a session of the last version has 255 kB at least
			t.Errorf("seed %d: got %d bytes, want at most 8 MB", seed, summary.Bytes)
		}
		samples := once(t, ccwatchd, dir)
		for _, want := range [][3]string{ // the totals do not distinguish them
			{"claude_tool_errors_total", "reason", "interrupted"}, {"claude_server_tool_requests_total", "tool", "web_search"},
		} {
			if n, _ := samples.Sum(want[0], want[1], want[2]); n == 0 {
				t.Errorf("seed %d: %v is missing", seed, want)
			}
		}
		totals, err := reference.TotalsOf(samples)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range everything() {
			counts := func(key reference.Key) bool { return totals[key] > 0 && strings.HasPrefix(key.String(), want) }
			if !slices.ContainsFunc(slices.Collect(maps.Keys(totals)), counts) {
				t.Errorf("seed %d: %s is missing", seed, want)
			}
		}
		var all []byte
		for _, b := range transcripts(t, dir) {
			all = append(all, b...)
		}
		for _, want := range traps() {
			if !regexp.MustCompile(want).Match(all) {
				t.Errorf("seed %d: %s is missing", seed, want)
			}
		}
	}
}

// traps are patterns of content that the totals do not show.
func traps() (all []string) {
	add := func(format string, values ...string) {
		for _, v := range values {
			all = append(all, fmt.Sprintf(format, v))
		}
	}
	add(`"type":"%s"`, "queue-operation", "file-history-snapshot", "last-prompt", "fork-context-ref", "future-entry", "cost-state", "continued-in", "atis-latch", "artifact-autoreact-ledger")
	add(`"type":"%s"`, "api-request", "api-request-blob", "api-request-shape", "tools-used", "prompt_snapshot", "environment", "remote_session_change")
	add(`"permissionDecision":\{"decision":"%s`, "accept\",\"source\":\"config", "reject\",\"source\":\"config", "reject\",\"source\":\"hook")
	add(`"subtype":"%s"`, "turn_duration", "api_error", "compact_boundary", "microcompact_boundary", "away_summary", "local_command", "agents_killed", "init")
	add(`"type":"%s","model":"claude-fallback-`, "fallback_message", "message", "future_message")
	add(`<command-name>/%s<`, "permissions", "review", "clear", "usage")
	return append(all,
		`"id":"msg_proxy"`,
		`"id":"msg_proxy".*"requestRef":"`,
		`"message":\{"type":"message".*"requestRef":"`,
		`"requestRef":"[^"]+","requestSessionId":"`,
		`"apiBlockIndex":1`,
		`"turnOrigin":"(sdk|human|task_notification)","turnPosition":\{"promptIndex":\d`,
		`"kind":"task-notification"`,
		`"status":"async_launched"`,
		`"stop_reason":"end_turn",.*"output_tokens":1,.*"fallback_credit":null\}\},"apiBlockIndex"`,
		`"searchCount":[1-3]`,
		`"source":"connection_retry"`,
		`"apiErrorType":"overloaded_error"`,
		`"cwd":"([^"]*/packages/api|[^"]*/src|/tmp|/var/lib/elsewhere)"`,
		`"isSidechain":false,"forkedFrom":\{"sessionId":`,
		`"isSidechain":true,"agentId":"acompact-`,
		`"data":\{"message":\{"type":"assistant".*"usage":.*"type":"agent_progress"`,
		`"type":"tool_use".*"type":"tool_use".*"type":"tool_use".*"stop_reason"`,
		`"type":"tool_result".*"type":"tool_result".*"type":"tool_result"`,
		`"usage":\{"input_tokens":\d+,"output_tokens":\d+\}`,
		`"stop_reason":null`,
		`"model":"<synthetic>"`,
		`"name":"mcp__`,
		`"type":"web_search_tool_result"`,
		`"retryInMs":\d+\.\d+`,
		`"type":"image","source":\{"type":"base64"`,
		`"structuredPatch":\[\{"oldStart"`,
		`\\u0000`,
		`\\ud83[c-e]\\ud[c-f]`,
		`\\u00e9`,
		`é`,
		`"type":"system","subtype":"local_command","content":"<command-name>/`,
		`"modelUsage":\{.*\[1m\]":`,
		`"modelUsage":null`,
		`"turnCompanion":true`,
		`"kind":"coordinator"`,
		`"stop_reason":"(compaction|end_turn)".*"type":"compaction"`,
		`"sessionKind":"bg"`,
		`"perTurnEffort":`,
		`\x00{1,}\{`,
		`"contextWindow":`,
		"\r\n",
	)
}

// everything returns prefixes of the totals that every corpus must have.
func everything() (all []string) {
	add := func(format string, values ...string) {
		for _, v := range values {
			all = append(all, fmt.Sprintf(format, v))
		}
	}
	add("human_turns{kind=%s}", "text", "command", "local_command", "bash", "queued", "sdk")
	add("subagents{kind=%s}", "task", "workflow", "warmup", "compact", "prompt_suggestion", "side_question")
	add("malformed_lines{class=%s}", "glued", "torn", "garbage", "not_object")
	add("compactions{scope=%s}", "main,trigger=auto", "main,trigger=manual", "main,trigger=unknown", "subagent,trigger=auto")
	add("interrupts{scope=%s}", "main", "subagent")
	add("tool_errors_class{class=%s}", "user_rejected", "sibling_cancelled", "exit_code", "permission", "validation", "tool_use_error", "other")
	add("api_errors{class=%s,", "authentication_failed", "unknown", "rate_limit", "invalid_request", "server_error", "billing_error", "overloaded", "max_output_tokens", "model_not_found", "oauth_org_not_allowed")
	add("api_retries{status=%s}", "529", "429", "401", "ConnectionRefused", "ECONNRESET", "FailedToOpenSocket", "unknown")
	add("iteration_tokens{iteration=%s,", "advisor_message", "compaction")
	add("queue_operations{operation=%s}", "enqueue", "dequeue", "remove", "other")
	add("reported{field=%s,model=claude-", "inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "webSearchRequests", "costUSD")
	add("reported_seen_tokens{type=%s}", "input", "output", "thinking", "cache_read", "cache_write")
	add("unknown_format{kind=%s}", "metadata_type", "type", "iteration")
	add("code_lines{op=%s}", "added", "removed")
	add("%s{", "turn_durations_ms", "thinking_tokens", "sessions", "reported_sessions")
	return all
}

package reference

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A correspondence says which family, summed over its other labels, stands for
// a metric of the reference.
type correspondence struct {
	metric string
	labels []pair // those of the reference in the order of their names
	family string
	value  reading
}

// A pair says which label of the family stands for a label of the reference.
type pair struct {
	reference string // "": a label of the family that only selects
	family    string // "": a label of the reference that is summed over
	// canon brings a cleaned value of either side to one spelling. If it
	// returns false, the sample is no part of the correspondence.
	canon canon
}

type canon func(value string) (string, bool)

// latencyMetric is the one metric that may differ by a tolerance.
const latencyMetric = "tool_latency_ms"

// reportedMetric is the one metric that corresponds to several families, each for some
// values of its label "field".
const reportedMetric = "reported"

// noLabel is the name of a label that no family has, so that its value is empty.
const noLabel = "field"

// Parts of the table that several rows share.
const (
	tokensFamily   = "claude_tokens_total"
	durationFamily = "claude_tool_duration_seconds"
	turnsFamily    = "claude_turn_duration_seconds"
)

var (
	modelPair = pair{"model", "model", orUnknown}
	toolPair  = pair{"name", "tool", same}
	// Iterations that the top level does not include.
	ownPair = pair{"", "agent", but("advisor", "server_compaction")}
)

// correspondences is the table that everything in this package follows.
var correspondences = []correspondence{
	{"tokens", []pair{modelPair, {"type", "type", to("cache_creation", "cache_write_5m", "cache_write_1h")}, ownPair}, tokensFamily, counter},
	{"cache_creation_ttl", []pair{modelPair, {"ttl", "type", lifetime}, ownPair}, tokensFamily, counter},
	{"iteration_tokens", []pair{{"iteration", "agent", iteration}, modelPair, {"type", "type", iterationTokens}}, tokensFamily, counter},
	{"thinking_tokens", []pair{modelPair, ownPair}, "claude_thinking_tokens_total", counter},
	{"messages", []pair{modelPair}, "claude_requests_total", counter},
	{"server_tool_requests", []pair{{"kind", "tool", withoutSuffix("_requests")}}, "claude_server_tool_requests_total", counter},

	{"tool_calls", []pair{toolPair}, "claude_tool_calls_total", counter},
	{"tool_errors", []pair{toolPair}, "claude_tool_errors_total", counter},
	{"tool_errors_class", []pair{{"class", "reason", same}}, "claude_tool_errors_total", counter},
	{"tool_latency_count", []pair{toolPair}, durationFamily, observations},
	{latencyMetric, []pair{toolPair}, durationFamily, milliseconds},
	{"code_lines", []pair{{"op", "change", same}}, "claude_lines_changed_total", counter},

	{"human_turns", []pair{{"kind", "kind", same}}, "claude_prompts_total", counter},
	{"commands", []pair{{"command", "", same}}, "claude_commands_total", counter}, // most of the names are custom
	{"queue_operations", []pair{{"operation", "operation", operation}}, "claude_queue_operations_total", counter},
	{"interrupts", []pair{{"scope", "agent", scope}}, "claude_interruptions_total", counter},
	{"compactions", []pair{{"scope", "agent", scope}, {"trigger", "trigger", same}}, "claude_compactions_total", counter},
	{"api_errors", []pair{{"class", "error", orUnknown}, {"status", "status", same}}, "claude_api_errors_total", counter},
	{"api_retries", []pair{{"status", "status", same}}, "claude_api_retries_total", counter},
	{"turn_durations_count", nil, turnsFamily, observations},
	{"turn_durations_ms", nil, turnsFamily, milliseconds},

	{reportedMetric, []pair{{"field", "type", reportedTokens}, modelPair}, "claude_reported_tokens_total", counter},
	{reportedMetric, []pair{{"field", noLabel, only("costUSD")}, modelPair}, "claude_reported_cost_usd_total", billionths},
	{reportedMetric, []pair{{"field", noLabel, only("webSearchRequests")}, modelPair}, "claude_reported_web_searches_total", counter},
	{"reported_sessions", nil, "claude_reported_sessions_total", counter},
	{"reported_seen_tokens", []pair{{"type", "type", same}}, "claude_reported_seen_tokens_total", counter},

	{"sessions", nil, "claude_sessions_total", counter},
	{"subagents", []pair{{"kind", "kind", same}}, "claude_subagents_total", counter},
	{"entries", []pair{{"subtype", "", same}, {"type", "type", knownType}}, "ccwatchd_lines_total", counter},
	{"malformed_lines", []pair{{"class", "reason", same}}, "ccwatchd_line_errors_total", counter},
	{"unknown_format", []pair{{"kind", "kind", same}}, "ccwatchd_unknown_format_total", counter},
}

// corpusOnly are the metrics that a generated corpus knows about itself and the
// reference does not print. They are compared where the expected totals hold any of them.
var corpusOnly = []string{"reported_sessions", "reported_seen_tokens", "unknown_format"}

// withoutCounterpart are the metrics of the reference that no family stands for.
var withoutCounterpart = []string{
	"files", "files_empty", // a gauge of what is there now, not a count
	"lines",               // by how they end, which nobody asks for
	"microcompactions",    // not counted
	"tool_results",        // all results, those without an error too
	"tool_results_orphan", // results whose call was never seen
	"tool_calls_unanswered",
	// A counter cannot take back the stop reason "none" when a later copy of
	// the message has a better one.
	"messages_without_stop_reason",
}

func same(v string) (string, bool) { return v, true }

func orUnknown(v string) (string, bool) { return cmp.Or(v, "unknown"), true }

// to brings several values to one and keeps all others.
func to(one string, several ...string) canon {
	return func(v string) (string, bool) {
		if slices.Contains(several, v) {
			return one, true
		}
		return v, true
	}
}

// but leaves out the samples of some values.
func but(out ...string) canon {
	return func(v string) (string, bool) { return v, !slices.Contains(out, v) }
}

// only takes the samples of one value, and all of a family that lacks the label.
func only(one string) canon {
	return func(v string) (string, bool) { return one, v == one || v == "" }
}

func withoutSuffix(suffix string) canon {
	return func(v string) (string, bool) { return strings.TrimSuffix(v, suffix), true }
}

// lifetime takes the cache writes only; those without a stated lifetime count
// as the shorter one.
func lifetime(v string) (string, bool) {
	switch v {
	case "cache_write_5m", "5m", "unspecified":
		return "5m", true
	case "cache_write_1h", "1h":
		return "1h", true
	default:
		return "", false
	}
}

// iteration takes the requests that were made for another one and are counted: to
// advisors, and to compact the context on the server. Fallbacks and abandoned
// messages are not counted.
func iteration(v string) (string, bool) {
	switch v {
	case "advisor", "advisor_message":
		return "advisor_message", true
	case "server_compaction", "compaction":
		return "compaction", true
	default:
		return "", false
	}
}

// iterationTokens spells the types of tokens as the usage of a message does.
func iterationTokens(v string) (string, bool) {
	switch v {
	case "input", "output":
		return v + "_tokens", true
	case "cache_read":
		return "cache_read_input_tokens", true
	case "cache_write_5m", "cache_write_1h":
		return "cache_creation_input_tokens", true
	default:
		return v, true
	}
}

// operation spells the operations on the queue; all but these count as one.
func operation(v string) (string, bool) {
	switch v {
	case "enqueue", "dequeue", "remove":
		return v, true
	default:
		return "other", true
	}
}

// reportedTokens takes the tokens of what Claude Code reports, and spells their types
// as it does.
func reportedTokens(v string) (string, bool) {
	switch v {
	case "input", "output", "thinking":
		return v + "Tokens", true
	case "cache_read":
		return "cacheReadInputTokens", true
	case "cache_write":
		return "cacheCreationInputTokens", true
	case "inputTokens", "outputTokens", "thinkingTokens", "cacheReadInputTokens", "cacheCreationInputTokens":
		return v, true
	default:
		return "", false
	}
}

// scope knows no more than whether it was the main conversation.
func scope(agent string) (string, bool) {
	if agent == "main" {
		return agent, true
	}
	return "subagent", true
}

func knownType(v string) (string, bool) {
	if slices.Contains(transcript.Types, v) {
		return v, true
	}
	return transcript.Unknown, true
}

// replaced matches what became of bytes that are not UTF-8.
var replaced = regexp.MustCompile("\uFFFD+")

// clean makes values of labels comparable.
func clean(v string) string {
	return transcript.Clean(replaced.ReplaceAllLiteralString(transcript.Clean(v), "\uFFFD"))
}

// A side is the name by which one of the two sides knows a label, "" if it
// does not.
type side func(pair) string

func inReference(p pair) string { return p.reference }
func inFamily(p pair) string    { return p.family }

// key returns the key of a sample that one of the sides has, and whether the
// sample is a part of the correspondence. label returns the values of the
// sample's labels by that side's names.
func (c *correspondence) key(of side, label func(name string) string) (Key, bool) {
	var labels []string
	for _, p := range c.labels {
		name := of(p)
		if name == "" {
			continue
		}
		value, ok := p.canon(clean(label(name)))
		if !ok {
			return Key{}, false
		}
		if p.reference != "" && p.family != "" {
			labels = append(labels, p.reference+"="+value)
		}
	}
	return Key{c.metric, strings.Join(labels, ",")}, true
}

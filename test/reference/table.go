package reference

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A correspondence maps a metric of the reference to a family, summed over the other
// labels of the family.
type correspondence struct {
	metric string
	labels []labelPair // sorted by the reference's names
	family string
	value  reading
}

// A labelPair maps a label of the reference to a label of the family.
type labelPair struct {
	reference string // "" if the label of the family only selects samples
	family    string // "" if the label of the reference is summed over
	normalize normalizer
}

// A normalizer gives cleaned values of both sides the same spelling. It returns false
// for samples that are not part of the correspondence.
type normalizer func(value string) (string, bool)

// latencyMetric is the only metric with a tolerance that is a number.
const latencyMetric = "tool_latency_ms"

// Metrics that Options.History compares differently.
const (
	sessionsMetric  = "sessions"
	malformedMetric = "malformed_lines"
	entriesMetric   = "entries"
)

// reportedMetric is the only metric that corresponds to several families, each for some
// values of its label "field".
const reportedMetric = "reported"

// noLabel is a label that no family has, so that its value is empty.
const noLabel = "field"

// Families in several rows of the table.
const (
	tokensFamily   = "claude_tokens_total"
	durationFamily = "claude_tool_duration_seconds"
	turnsFamily    = "claude_turn_duration_seconds"
)

var (
	modelLabel = labelPair{"model", "model", orUnknown}
	toolLabel  = labelPair{"name", "tool", same}
	// The top-level usage does not include these iterations.
	topLevel = labelPair{"", "agent", but("advisor", "server_compaction")}
)

// correspondences is the table of all metrics.
var correspondences = []correspondence{
	{"tokens", []labelPair{modelLabel, {"type", "type", to("cache_creation", "cache_write_5m", "cache_write_1h")}, topLevel}, tokensFamily, counter},
	{"cache_creation_ttl", []labelPair{modelLabel, {"ttl", "type", lifetime}, topLevel}, tokensFamily, counter},
	{"iteration_tokens", []labelPair{{"iteration", "agent", iteration}, modelLabel, {"type", "type", iterationTokens}}, tokensFamily, counter},
	{"thinking_tokens", []labelPair{modelLabel, topLevel}, "claude_thinking_tokens_total", counter},
	{"messages", []labelPair{modelLabel}, "claude_requests_total", counter},
	// The reference does not know the searches of the tool WebSearch, which naive counts.
	{"server_tool_requests", []labelPair{{"kind", "tool", webFetches}}, "claude_server_tool_requests_total", counter},

	{"tool_calls", []labelPair{toolLabel}, "claude_tool_calls_total", counter},
	{"tool_errors", []labelPair{toolLabel}, "claude_tool_errors_total", counter},
	// The reference does not distinguish them as the line does; naive checks it.
	{"tool_errors_class", []labelPair{{"class", "reason", to("user_rejected", "interrupted")}}, "claude_tool_errors_total", counter},
	{"tool_latency_count", []labelPair{toolLabel}, durationFamily, observations},
	{latencyMetric, []labelPair{toolLabel}, durationFamily, milliseconds},
	{"code_lines", []labelPair{{"op", "change", same}}, "claude_lines_changed_total", counter},

	{"human_turns", []labelPair{{"kind", "kind", same}}, "claude_prompts_total", counter},
	{"commands", []labelPair{{"command", "", same}}, "claude_commands_total", counter}, // most names are custom
	{"queue_operations", []labelPair{{"operation", "operation", operation}}, "claude_queue_operations_total", counter},
	{"interrupts", []labelPair{{"scope", "agent", scope}}, "claude_interruptions_total", counter},
	{"compactions", []labelPair{{"scope", "agent", scope}, {"trigger", "trigger", same}}, "claude_compactions_total", counter},
	{"api_errors", []labelPair{{"class", "error", orUnknown}, {"status", "status", to("", "timeout")}}, "claude_api_errors_total", counter},
	{"api_retries", []labelPair{{"status", "status", to("unknown", "timeout")}}, "claude_api_retries_total", counter},
	{"turn_durations_count", nil, turnsFamily, observations},
	{"turn_durations_ms", nil, turnsFamily, milliseconds},

	{reportedMetric, []labelPair{{"field", "type", reportedTokens}, modelLabel}, "claude_reported_tokens_total", counter},
	{reportedMetric, []labelPair{{"field", noLabel, only("costUSD")}, modelLabel}, "claude_reported_cost_usd_total", billionths},
	{reportedMetric, []labelPair{{"field", noLabel, only("webSearchRequests")}, modelLabel}, "claude_reported_web_searches_total", counter},
	{"reported_sessions", nil, "claude_reported_sessions_total", counter},
	{"reported_seen_tokens", []labelPair{{"type", "type", same}}, "claude_reported_seen_tokens_total", counter},

	{"cost", []labelPair{{"component", "component", same}, modelLabel}, "claude_cost_usd_total", billionths},
	{"cache_savings", []labelPair{modelLabel}, "claude_cache_savings_usd_total", billionths},
	{"cache_write_premium", []labelPair{modelLabel}, "claude_cache_write_premium_usd_total", billionths},
	{"unpriced_tokens", []labelPair{modelLabel}, "claude_unpriced_tokens", gauge},

	{sessionsMetric, nil, "claude_sessions_total", counter},
	{"subagents", []labelPair{{"kind", "kind", same}}, "claude_subagents_total", counter},
	{entriesMetric, []labelPair{{"subtype", "", same}, {"type", "type", knownType}}, "ccwatchd_lines_total", counter},
	{malformedMetric, []labelPair{{"class", "reason", same}}, "ccwatchd_line_errors_total", counter},
	{"unknown_format", []labelPair{{"kind", "kind", same}}, "ccwatchd_unknown_format_total", counter},
}

// Families returns the families that correspond to metrics of the reference.
func Families() (all []string) {
	for i := range correspondences {
		all = append(all, correspondences[i].family)
	}
	return all
}

// optional are the metrics that the reference does not have. They are compared if the
// expected totals have any of them, because they come from another exposition.
var optional = []string{
	"reported_sessions", "reported_seen_tokens", "unknown_format",
	"cost", "cache_savings", "cache_write_premium", "unpriced_tokens",
}

// withoutCounterpart are the metrics of the reference without a family.
var withoutCounterpart = []string{
	"files", "files_empty", // a gauge, not a count
	"lines",               // by line ending
	"microcompactions",    // not counted
	"tool_results",        // including results without an error
	"tool_results_orphan", // results without a call
	"tool_calls_unanswered",
	// A counter cannot revoke the stop reason "none" when a later copy of the
	// message has a better one.
	"messages_without_stop_reason",
}

func same(v string) (string, bool) { return v, true }

func orUnknown(v string) (string, bool) { return cmp.Or(v, "unknown"), true }

// to maps several values to one and keeps all other values.
func to(kept string, several ...string) normalizer {
	return func(v string) (string, bool) {
		if slices.Contains(several, v) {
			return kept, true
		}
		return v, true
	}
}

// but excludes the samples of some values.
func but(out ...string) normalizer {
	return func(v string) (string, bool) { return v, !slices.Contains(out, v) }
}

// only selects the samples of one value, and all of a family without the label.
func only(kept string) normalizer {
	return func(v string) (string, bool) { return kept, v == kept || v == "" }
}

// webFetches selects the web fetches of the tools of the server.
func webFetches(v string) (string, bool) {
	v = strings.TrimSuffix(v, "_requests")
	return v, v == "web_fetch"
}

// lifetime selects cache writes. Cache writes without a lifetime count as the shorter
// one.
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

// iteration selects the counted iterations: advisors, and compactions on the server.
// Fallbacks and abandoned messages are not counted.
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

// iterationTokens maps types of tokens to the names in the usage of a message.
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

// operation maps all other queue operations to one value.
func operation(v string) (string, bool) {
	switch v {
	case "enqueue", "dequeue", "remove":
		return v, true
	default:
		return "other", true
	}
}

// reportedTokens selects the tokens in Claude Code's reports, and maps their types to
// its names.
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

// scope distinguishes only the main conversation from sub-agents.
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

// replaced matches the replacement of bytes that are not UTF-8.
var replaced = regexp.MustCompile("\uFFFD+")

// clean makes label values comparable.
func clean(v string) string {
	return transcript.Clean(replaced.ReplaceAllLiteralString(transcript.Clean(v), "\uFFFD"))
}

// A side returns the name of a label on one of the two sides, "" without a label.
type side func(labelPair) string

func inReference(p labelPair) string { return p.reference }
func inFamily(p labelPair) string    { return p.family }

// key returns the key of a sample on one side, and whether the sample is part of the
// correspondence. label returns the value of a label by its name on that side.
func (c *correspondence) key(of side, label func(name string) string) (Key, bool) {
	var labels []string
	for _, p := range c.labels {
		name := of(p)
		if name == "" {
			continue
		}
		value, ok := p.normalize(clean(label(name)))
		if !ok {
			return Key{}, false
		}
		if p.reference != "" && p.family != "" {
			labels = append(labels, p.reference+"="+value)
		}
	}
	return Key{c.metric, strings.Join(labels, ",")}, true
}

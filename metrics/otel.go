package metrics

// An otelFamily is a metric of Claude Code's own OpenTelemetry telemetry, under the
// name that Prometheus gives it. Its series are sums of series of the ledger.
type otelFamily struct {
	Metric string // the name in OpenTelemetry
	Name   string
	Help   string
	Of     string // the counter of the ledger
	Labels []otelLabel
}

// An otelLabel is a label whose values follow from those of a label of the ledger.
type otelLabel struct {
	Name, Of string
	value    func(of string) string
}

// otelFamilies returns the metrics that can be derived from counters. docs/otel.md
// explains why the others cannot.
func otelFamilies() []otelFamily {
	model := otelLabel{"model", "model", same}
	source := otelLabel{"query_source", "agent", querySource}
	return []otelFamily{
		{
			"claude_code.token.usage", "claude_code_token_usage_tokens_total",
			"Tokens under the name of Claude Code's own telemetry: claude_tokens_total, summed over projects. If Claude Code sends its own telemetry to the same server, usage is there twice.",
			"claude_tokens_total", []otelLabel{{"type", "type", tokenType}, model, source},
		},
		{
			"claude_code.cost.usage", "claude_code_cost_usage_USD_total",
			"Cost in US dollars under the name of Claude Code's own telemetry: claude_cost_usd_total, a list-price estimate and not the bill of a subscription, summed over components and projects.",
			"claude_cost_usd_total", []otelLabel{model, source},
		},
		{
			"claude_code.session.count", "claude_code_session_count_total",
			"Sessions under the name of Claude Code's own telemetry: claude_sessions_total, summed over projects. A resumed session does not count again.",
			"claude_sessions_total", nil,
		},
		{
			"claude_code.lines_of_code.count", "claude_code_lines_of_code_count_total",
			"Lines of code under the name of Claude Code's own telemetry: claude_lines_changed_total, summed over projects.",
			"claude_lines_changed_total", []otelLabel{{"type", "change", same}},
		},
	}
}

func same(value string) string { return value }

// tokenType returns the type of tokens in Claude Code's telemetry, which does not
// distinguish the lifetimes of cache writes.
func tokenType(own string) string {
	switch own {
	case "cache_read":
		return "cacheRead"
	case "cache_write_5m", "cache_write_1h":
		return "cacheCreation"
	default:
		return own
	}
}

// querySource returns the part of Claude Code that sent a request.
func querySource(agent string) string {
	switch agent {
	case "main", "subagent":
		return agent
	default:
		return "auxiliary"
	}
}

package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
)

// decodeMessage reads the usage of an assistant's message. Messages of the
// model "<synthetic>" are written by Claude Code itself and cost nothing.
func decodeMessage(e *Entry, message object) {
	usage, model := message.object("usage"), message.str("model")
	if usage == nil || model == "<synthetic>" {
		return
	}
	m := &Message{
		Model:      cmp.Or(Clean(model), "unknown"),
		StopReason: stopReason(message["stop_reason"]),
	}
	if id := message.str("id"); id != "" {
		m.Key = KeyOf("message", id)
	}
	checkUsageKeys(e, usage)
	m.Usage = readUsage(e, usage)
	m.Advisors = advisors(e, usage, m.Model)
	if m.Final() && !slices.Contains(stopReasons, m.StopReason) {
		e.unknown(unknownStopReason)
	}
	e.Message = m
}

// stopReason is empty exactly if the record does not say that the response ended.
func stopReason(raw json.RawMessage) string {
	if !truthy(raw) {
		return ""
	}
	s, _ := parseString(raw)
	return cmp.Or(Clean(s), "other")
}

// checkUsageKeys notes keys that may hold something to be counted.
func checkUsageKeys(e *Entry, usage object) {
	check := func(o object, known []string) {
		for key := range o {
			if !slices.Contains(known, key) {
				e.unknown(unknownUsageKey)
			}
		}
	}
	check(usage, usageKeys)
	for part, keys := range usageParts {
		check(usage.object(part), keys)
	}
}

// readUsage reads the counts of one record, and notes those that are larger
// than any count can be.
func readUsage(e *Entry, o object) Usage {
	count := func(o object, key string) uint64 {
		n, ok := parseCount(o[key])
		if !ok {
			e.unknown(unknownUsageKey)
		}
		return n
	}
	lifetimes, tools := o.object("cache_creation"), o.object("server_tool_use")
	written5m := count(lifetimes, "ephemeral_5m_input_tokens")
	written1h := count(lifetimes, "ephemeral_1h_input_tokens")
	// Gateways state only the sum; some releases of Claude Code only the parts.
	written := cmp.Or(count(o, "cache_creation_input_tokens"), written5m+written1h)
	written1h = min(written1h, written)
	return Usage{
		Input:        count(o, "input_tokens"),
		Output:       count(o, "output_tokens"),
		CacheRead:    count(o, "cache_read_input_tokens"),
		CacheWrite5m: written - written1h,
		CacheWrite1h: written1h,
		Thinking:     count(o.object("output_tokens_details"), "thinking_tokens"),
		WebSearches:  count(tools, "web_search_requests"),
		WebFetches:   count(tools, "web_fetch_requests"),
	}
}

// advisors reads the requests to other models that were made for one response.
// The other iterations are in the response's own counts already.
func advisors(e *Entry, usage object, model string) []Advisor {
	var out []Advisor
	for _, iteration := range usage.objects("iterations") {
		if iteration.is("type", "advisor_message") {
			out = append(out, Advisor{
				Model: cmp.Or(Clean(iteration.str("model")), model),
				Usage: readUsage(e, iteration),
			})
		}
	}
	return out
}

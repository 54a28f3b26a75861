package api

import "maps"

// unique returns usage whose numbers appear in no other answer. It is too small to fill
// a context window.
func unique(n int) map[string]any {
	return map[string]any{
		"input_tokens": 100 + n, "output_tokens": 40 + n,
		"cache_creation_input_tokens": 2000 + 10*n, "cache_read_input_tokens": 30000 + 100*n,
	}
}

// whole adds the fields that the API always sends.
func whole(usage map[string]any) map[string]any {
	usage = maps.Clone(usage)
	if usage["cache_creation"] == nil {
		usage["cache_creation"] = map[string]any{
			"ephemeral_5m_input_tokens": usage["cache_creation_input_tokens"], "ephemeral_1h_input_tokens": 0,
		}
	}
	if usage["service_tier"] == nil {
		usage["service_tier"] = "standard"
	}
	return usage
}

// start returns the usage of message_start: an output of 1, and the fields that the
// reply sets.
func (r Reply) start(usage map[string]any) map[string]any {
	start := maps.Clone(usage)
	start["output_tokens"] = 1
	delete(start, "iterations")
	if r.Start != nil {
		delete(start, "cache_creation")
		maps.Copy(start, r.Start)
	}
	return whole(start)
}

// Tokens are numbers of tokens by type, in the names of claude_tokens_total.
type Tokens map[string]int

// Types are the types of tokens, in printing order.
var Types = []string{"input", "output", "cache_read", "cache_write_5m", "cache_write_1h"}

// TokensOf reads a usage, from a reply or from a transcript.
func TokensOf(usage map[string]any) Tokens {
	lifetimes, _ := usage["cache_creation"].(map[string]any)
	hour, short := number(lifetimes["ephemeral_1h_input_tokens"]), number(lifetimes["ephemeral_5m_input_tokens"])
	// Old versions keep the lifetimes of message_start with the sum of message_delta.
	short = max(short, number(usage["cache_creation_input_tokens"])-hour)
	t := Tokens{
		"input": number(usage["input_tokens"]), "output": number(usage["output_tokens"]),
		"cache_read":     number(usage["cache_read_input_tokens"]),
		"cache_write_5m": short, "cache_write_1h": hour,
	}
	maps.DeleteFunc(t, func(_ string, n int) bool { return n == 0 })
	return t
}

func number(v any) int {
	switch n := v.(type) {
	case int:
		return n
	case float64:
		return int(n)
	default:
		return 0
	}
}

// Add adds other tokens.
func (t Tokens) Add(other Tokens) {
	for name, n := range other {
		t[name] += n
	}
}

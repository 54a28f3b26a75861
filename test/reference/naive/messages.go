package naive

import (
	"cmp"
	"strings"
)

// A message is a message of the API in all files. Its labels come from its first line,
// its numbers from its best line.
type message struct {
	first, best *Line
	at          int64 // of the first best line
}

// collect returns the messages of a tree, in the order of their first lines.
func (t *Tree) collect() (all []*message) {
	byKey := make(map[string]*message)
	for _, f := range t.Files {
		for _, l := range f.Lines {
			if l.key == "" {
				continue
			}
			at := l.counts
			m := byKey[l.key]
			if m == nil {
				m = &message{first: l, best: l, at: at}
				byKey[l.key], all = m, append(all, m)
			}
			switch rank := l.compare(m.best); {
			case rank > 0:
				m.best, m.at = l, at
			case rank == 0:
				m.best, m.at = l, min(m.at, at)
			}
		}
	}
	return all
}

// compare orders two lines of a message: by stop reason, then by output.
func (l *Line) compare(than *Line) int {
	output := func(l *Line) float64 { return l.usage().Count("output_tokens") }
	return cmp.Or(isFinal(l)-isFinal(than), cmp.Compare(output(l), output(than)))
}

// isFinal is 1 if a line of a message has a stop reason.
func isFinal(l *Line) int {
	if l.isFinal() {
		return 1
	}
	return 0
}

func (l *Line) isFinal() bool { return isSet(l.At("message", "stop_reason")) }

// isIncomplete reports whether the stream of a response broke off: since 2.1.260, its
// stop reason has no details, and its lines have one block each.
func (l *Line) isIncomplete() bool {
	message, _ := l.At("message").(map[string]any)
	_, stated := message["stop_details"]
	version := l.Text("version")
	return !stated && l.isFinal() && len(l.Blocks()) <= 1 && versionPattern.MatchString(version) && comparableVersion(version) >= comparableVersion("2.1.260")
}

func (l *Line) usage() Entry {
	u, _ := l.At("message", "usage").(map[string]any)
	return u
}

func (l *Line) model() string { return modelLabel(l.Text("message", "model")) }

func modelLabel(model string) string { return cmp.Or(cleaned(model), "unknown") }

// cleaned returns a name without control characters, and cut off if it is too long.
func cleaned(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r < 0x20 || r > 0x7e && r < 0xa0 {
			continue
		}
		if b.Len()+len(string(r)) > 128 {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// written returns the tokens in a usage that were written to the cache, by lifetime.
// Tokens without a lifetime live for five minutes.
func (e Entry) written() (short, long float64) {
	short, long = e.Count("cache_creation", "ephemeral_5m_input_tokens"), e.Count("cache_creation", "ephemeral_1h_input_tokens")
	all := cmp.Or(e.Count("cache_creation_input_tokens"), short+long)
	long = min(long, all)
	return all - long, long
}

// context returns the tokens in a usage that the model read.
func (e Entry) context() float64 {
	short, long := e.written()
	return e.Count("input_tokens") + e.Count("cache_read_input_tokens") + short + long
}

// A request is the unit of counting: a message without its iterations, or an iteration
// that the message's own tokens do not include.
type request struct {
	usage    Entry
	written  string // the model as written
	agent    string // the label
	at       int64
	fast, us bool
}

// requests returns the requests of a message, the message itself first.
func (m *message) requests() []request {
	u := m.best.usage()
	own := request{u, m.best.Text("message", "model"), m.first.agent, m.at, u.At("speed") == "fast", u.At("inference_geo") == "us"}
	all := []request{own}
	for _, it := range u.Objects("iterations") {
		agent := map[string]string{"advisor_message": "advisor", "compaction": "server_compaction"}[it.Text("type")]
		if agent == "" {
			continue
		}
		r := request{it, cmp.Or(it.Text("model"), own.written), agent, m.at, own.fast, own.us}
		if speed := it.At("speed"); speed != nil {
			r.fast = speed == "fast"
		}
		if geo := it.At("inference_geo"); geo != nil {
			r.us = geo == "us"
		}
		all = append(all, r)
	}
	return all
}

// tokens returns the tokens of a request by the label type.
func (r request) tokens() map[string]float64 {
	short, long := r.usage.written()
	return map[string]float64{
		"input": r.usage.Count("input_tokens"), "output": r.usage.Count("output_tokens"), "cache_read": r.usage.Count("cache_read_input_tokens"),
		"cache_write_5m": short, "cache_write_1h": long,
	}
}

// tokensRule implements docs/design/counting.md for tokens, and the rules of package
// pricing.
func tokensRule() Rule {
	return Rule{append([]string{"claude_tokens_total", "claude_thinking_tokens_total", "claude_incomplete_responses_total", "claude_server_tool_requests_total", "claude_fast_mode_premium_usd_total"}, CostFamilies()...), countTokens}
}

// CostFamilies returns the families of costs.
func CostFamilies() []string {
	return []string{"claude_cost_usd_total", "claude_cache_savings_usd_total", "claude_cache_write_premium_usd_total", "claude_unpriced_tokens"}
}

func countTokens(tree *Tree, to Totals) {
	countSearches(tree, to)
	for _, m := range tree.messages {
		if m.best.isIncomplete() {
			to.Add(1, "claude_incomplete_responses_total", "model", m.best.model())
		}
		for _, r := range m.requests() {
			labels := []string{"model", modelLabel(r.written), "project", m.first.project, "agent", r.agent}
			for name, n := range r.tokens() {
				to.Add(n, "claude_tokens_total", append(labels, "type", name)...)
			}
			to.Add(r.usage.Count("output_tokens_details", "thinking_tokens"), "claude_thinking_tokens_total", labels...)
			countServerTools(r, to)
			c, ok := prices.cost(r)
			if !ok {
				to.Add(r.usage.context()+r.usage.Count("output_tokens"), "claude_unpriced_tokens", labels[:2]...)
				continue
			}
			for name, nano := range c.components {
				to.Add(nano, "claude_cost_usd_total", append(labels, "component", name)...)
			}
			to.Add(c.savings, "claude_cache_savings_usd_total", labels...)
			to.Add(c.premium, "claude_cache_write_premium_usd_total", labels...)
			if r.fast {
				r.fast = false
				standard, _ := prices.cost(r)
				to.Add(max(0, c.total()-standard.total()), "claude_fast_mode_premium_usd_total", labels...)
			}
		}
	}
}

// countServerTools counts the requests to tools of the server that a usage states.
func countServerTools(r request, to Totals) {
	for _, tool := range []string{"web_search", "web_fetch"} {
		if n := r.usage.Count("server_tool_use", tool+"_requests"); n > 0 {
			to.Add(n, "claude_server_tool_requests_total", "tool", tool, "model", modelLabel(r.written))
		}
	}
}

// countSearches counts the searches of the tool WebSearch.
func countSearches(tree *Tree, to Totals) {
	for _, s := range tree.searches() {
		countServerTools(s.request, to)
		if c, ok := prices.cost(s.request); ok {
			to.Add(c.components["web_search"], "claude_cost_usd_total",
				"model", modelLabel(s.written), "project", s.from.project, "agent", s.agent, "component", "web_search")
		}
	}
}

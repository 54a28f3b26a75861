package naive

import (
	"cmp"
	"slices"
	"strings"
)

// attributionRule implements docs/design/work.md: the attribution of messages and
// calls.
func attributionRule() Rule {
	return Rule{[]string{
		"claude_attributed_requests_total", "claude_attributed_tokens_total", "claude_attributed_cost_usd_total", "claude_skill_calls_total",
		"claude_subagent_requests_total", "claude_subagent_tokens_total", "claude_subagent_cost_usd_total", "claude_subagent_tool_calls_total",
	}, countAttributed}
}

// publicAgents and publicSkills are names that Claude Code itself gives.
var (
	publicAgents = []string{
		"general-purpose", "Explore", "Plan", "Bash", "fork", "statusline-setup", "output-style-setup", "claude-code-guide",
		"workflow-subagent",
	}
	publicSkills = []string{"code-review", "verify", "simplify", "security-review", "review", "init", "batch", "loop", "claude-api"}
)

// public returns a name, or custom if it may be private.
func public(name string, names []string) string {
	if name == "" || slices.Contains(names, name) {
		return name
	}
	return "custom"
}

// countAttributed counts messages and calls by the first line that has them.
func countAttributed(tree *Tree, to Totals) {
	for _, m := range tree.messages {
		countPurpose(m, to)
	}
	for _, s := range tree.searches() {
		if cost, priced := prices.cost(s.request); priced {
			to.chargePurpose(s.from, s.agent == "subagent", modelLabel(s.written), cost.total())
		}
	}
	calls := make(set)
	for l := range tree.lines() {
		for i, key := range l.calls {
			if calls.first(key) {
				countCall(l, l.Calls()[i], to)
			}
		}
	}
}

func countPurpose(m *message, to Totals) {
	l, model := m.first, m.best.model()
	purpose := l.purpose()
	for i, r := range m.requests() {
		tokens := r.usage.context() + r.usage.Count("output_tokens")
		cost, _ := prices.cost(r)
		bySubagent := l.agent == "subagent" && i == 0
		to.chargePurpose(l, bySubagent, model, cost.total())
		if bySubagent {
			to.Add(1, "claude_subagent_requests_total", "type", l.file.typeOf(l))
			to.Add(tokens, "claude_subagent_tokens_total", "type", l.file.typeOf(l), "model", model)
		}
		if purpose != nil {
			to.Add(1-min(float64(i), 1), "claude_attributed_requests_total", purpose...)
			to.Add(tokens, "claude_attributed_tokens_total", purpose...)
		}
	}
}

// purpose returns the labels of the skill, plugin or server that a line works for; nil
// without one.
func (l *Line) purpose() []string {
	skill, plugin, server := public(l.Text("attributionSkill"), publicSkills), public(l.Text("attributionPlugin"), nil), l.Text("attributionMcpServer")
	if skill+plugin+server == "" {
		return nil
	}
	return []string{"skill", skill, "plugin", plugin, "mcp_server", server}
}

// chargePurpose adds the cost of the message that begins with a line.
func (t Totals) chargePurpose(l *Line, bySubagent bool, model string, cost float64) {
	if bySubagent {
		t.Add(cost, "claude_subagent_cost_usd_total", "type", l.file.typeOf(l), "model", model)
	}
	if purpose := l.purpose(); purpose != nil {
		t.Add(cost, "claude_attributed_cost_usd_total", purpose...)
	}
}

func countCall(l *Line, call Entry, to Totals) {
	if l.agent == "subagent" {
		to.Add(1, "claude_subagent_tool_calls_total", "type", l.file.typeOf(l))
	}
	if call.Text("name") == "Skill" {
		name := strings.TrimPrefix(cmp.Or(call.Text("input", "skill"), call.Text("input", "command")), "/")
		to.Add(1, "claude_skill_calls_total", "skill", cmp.Or(public(name, publicSkills), "custom"))
	}
}

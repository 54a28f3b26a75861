package naive

import (
	"cmp"
	"slices"
	"strings"
)

// attributionRule implements docs/design/work.md: what messages and calls work for.
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
	agentType, skill, plugin := l.file.typeOf(l), public(l.Text("attributionSkill"), publicSkills), public(l.Text("attributionPlugin"), nil)
	purpose := []string{"skill", skill, "plugin", plugin, "mcp_server", l.Text("attributionMcpServer")}
	for i, r := range m.requests() {
		tokens := r.usage.context() + r.usage.Count("output_tokens")
		cost, _ := prices.cost(r)
		if l.agent == "subagent" && i == 0 {
			to.Add(1, "claude_subagent_requests_total", "type", agentType)
			to.Add(tokens, "claude_subagent_tokens_total", "type", agentType, "model", model)
			to.Add(cost.total(), "claude_subagent_cost_usd_total", "type", agentType, "model", model)
		}
		if skill+plugin+purpose[5] != "" {
			to.Add(1-min(float64(i), 1), "claude_attributed_requests_total", purpose...)
			to.Add(tokens, "claude_attributed_tokens_total", purpose...)
			to.Add(cost.total(), "claude_attributed_cost_usd_total", purpose...)
		}
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

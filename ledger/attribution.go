package ledger

import (
	"cmp"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// An attribution is what a message works for: the labels of its sub-agent, and the
// labels that Claude Code states. docs/design/work.md states the rules. Like its
// project and its agent, a message has the attribution of its first line, so that
// corrections go to the same series.
type attribution struct {
	agentType                string // empty unless the agent is a sub-agent
	skill, plugin, mcpServer string
	source                   SourceLabels // empty before format 3
}

// An attributionID is 1 + the id of an attribution in attributor.attributions, or 0 for
// the empty attribution.
type attributionID uint32

const (
	// Each label has its limit, but lines could make up millions of combinations. Names
	// become Other in new attributions once a source has maxAttributions, and in the
	// attributions of new messageLabels once it has maxMessageLabels.
	maxAttributions  = 1 << 14
	maxMessageLabels = 1 << 17

	// unknownAgentType is the type of sub-agents whose type is not stated anywhere.
	unknownAgentType = "unknown"
	// subagentLabel is the agent label of sub-agents with a type.
	subagentLabel = "subagent"
)

// An attributor determines what each line works for, and counts messages and tool calls
// by it.
type attributor struct {
	*core
	attributed   attributedFamilies
	attributions *sourced[attribution]
}

// attributedFamilies are the families of messages and tool calls by what they work for.
type attributedFamilies struct {
	subagentRequests, subagentTokens, subagentCost, subagentToolCalls counters.ID

	attributedRequests, attributedTokens, attributedCost, skillCalls counters.ID
}

func newAttributor(c *core) *attributor {
	return &attributor{
		core:         c,
		attributions: newSourced(c.tables, tableAttributions, codeAttribution, func(a attribution) SourceLabels { return a.source }),
		attributed: attributedFamilies{
			subagentRequests: c.declare(claudeCounter("subagent_requests_total", "API responses of sub-agents, by type.", "type")),
			subagentTokens:   c.declare(claudeCounter("subagent_tokens_total", "Input, output and cache tokens of sub-agents together, by type.", "type", "model")),
			subagentCost: c.declare(priced(dollars(caveat(claudeCounter("subagent_cost_usd_total", "Estimated cost of sub-agents in US dollars by list price, by type.", "type", "model"),
				"Part of `claude_cost_usd_total`.")))),
			subagentToolCalls: c.declare(claudeCounter("subagent_tool_calls_total", "Tool calls of sub-agents, by type.", "type")),
			attributedRequests: c.declare(caveat(claudeCounter("attributed_requests_total", "API responses that Claude Code attributes to a skill, a plugin or an MCP server.", "skill", "plugin", "mcp_server"),
				"Since 2.1.123.")),
			attributedTokens: c.declare(caveat(claudeCounter("attributed_tokens_total", "Input, output and cache tokens that Claude Code attributes to a skill, a plugin or an MCP server.", "skill", "plugin", "mcp_server"),
				"Since 2.1.123.")),
			attributedCost: c.declare(priced(dollars(caveat(claudeCounter("attributed_cost_usd_total", "Estimated cost in US dollars by list price that Claude Code attributes to a skill, a plugin or an MCP server.", "skill", "plugin", "mcp_server"),
				"Part of `claude_cost_usd_total`. Since 2.1.123.")))),
			skillCalls: c.declare(claudeCounter("skill_calls_total", "Calls of the tool Skill, by skill.", "skill")),
		},
	}
}

// prepare sets what a line works for.
func (p *attributor) prepare(l *line, e *transcript.Entry) {
	var stated transcript.Attribution
	if e.Attribution != nil {
		stated = *e.Attribution
	}
	if l.side {
		l.statedType = p.bounded(p.labels.agentType, l.source, stated.AgentType, l.when)
		l.agentType = cmp.Or(l.statedType, p.attrsOf(l.file).agentType, unknownAgentType)
	}
	if e.Message == nil {
		return
	}
	a := attribution{
		skill: p.bounded(p.labels.skill, l.source, stated.Skill, l.when), plugin: p.bounded(p.labels.plugin, l.source, stated.Plugin, l.when),
		mcpServer: p.bounded(p.labels.mcpServer, l.source, stated.MCPServer, l.when), source: l.source,
	}
	if l.agent == subagentLabel {
		a.agentType = l.agentType
	}
	l.attribution = p.attributionID(a)
}

// attributionID returns the id of an attribution, or of its overflow.
func (p *attributor) attributionID(a attribution) attributionID {
	if a.agentType == "" && !a.isStated() {
		return 0
	}
	if !p.attributions.fits(a, maxAttributions) {
		a = a.overflow()
	}
	return attributionID(p.attributions.ID(a) + 1)
}

// attributionOf is the inverse of attributionID.
func (p *attributor) attributionOf(id attributionID) attribution {
	if id == 0 {
		return attribution{}
	}
	return p.attributions.Value(uint32(id - 1))
}

// overflow returns the attribution with Other for every name.
func (a attribution) overflow() attribution {
	for _, name := range []*string{&a.agentType, &a.skill, &a.plugin, &a.mcpServer} {
		if *name != "" {
			*name = counters.Other
		}
	}
	return a
}

// isStated reports whether Claude Code states what the message works for, apart from
// its sub-agent.
func (a *attribution) isStated() bool { return a.skill != "" || a.plugin != "" || a.mcpServer != "" }

// withoutAgentType returns the attribution of iterations, which are not requests of the
// sub-agent.
func (p *attributor) withoutAgentType(id attributionID) attributionID {
	a := p.attributionOf(id)
	a.agentType = ""
	return p.attributionID(a)
}

// count adds n to a family of sub-agents, and to a family of skills, plugins and
// servers, if a message works for them. labels is the number of labels of the first
// family: the type, and the model.
func (p *attributor) count(subagents, stated counters.ID, n uint64, at *event, m *messageLabels, labels int) {
	a := p.attributionOf(m.attribution)
	if a.agentType != "" {
		values := [...]string{a.agentType, m.model}
		p.add(subagents, n, at.when, m.source, values[:labels]...)
	}
	if a.isStated() {
		p.add(stated, n, at.when, m.source, a.skill, a.plugin, a.mcpServer)
	}
}

// countRequest counts a message by what it works for.
func (p *attributor) countRequest(at *event, m *messageLabels) {
	p.count(p.attributed.subagentRequests, p.attributed.attributedRequests, 1, at, m, 1)
}

// countTokens counts tokens by what their message works for.
func (p *attributor) countTokens(at *event, m *messageLabels, u *transcript.Usage) {
	n := counters.SaturatingAdd(contextOf(u), u.Output)
	p.count(p.attributed.subagentTokens, p.attributed.attributedTokens, n, at, m, 2)
}

// countCost counts a cost by what its message works for.
func (p *attributor) countCost(at *event, m *messageLabels, n uint64) {
	p.count(p.attributed.subagentCost, p.attributed.attributedCost, n, at, m, 2)
}

// countCall counts a tool call by the type of its sub-agent, and by the skill
// that it starts.
func (p *attributor) countCall(l *line, u *transcript.ToolUse) {
	if l.agent == subagentLabel {
		p.add(p.attributed.subagentToolCalls, 1, l.when, l.source, l.agentType)
	}
	if u.Skill != "" {
		p.add(p.attributed.skillCalls, 1, l.when, l.source, p.bounded(p.labels.skill, l.source, u.Skill, l.when))
	}
}

func codeAttribution(c *table.Coder, a *attribution) {
	table.String(c, 1, &a.agentType)
	table.String(c, 2, &a.skill)
	table.String(c, 3, &a.plugin)
	table.String(c, 4, &a.mcpServer)
	table.String(c, 5, &a.source)
}

package ledger

import (
	"cmp"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// An attribution is what a message works for: the labels of its sub-agent and of what
// Claude Code states. docs/attribution.md states the rules. Like its project and its
// agent, it is that of the first line with the message, so that corrections go to the
// same series.
type attribution struct {
	agentType                string // empty unless the agent is a sub-agent
	skill, plugin, mcpServer string
}

// An attributionID is 1 + the id of an attribution in Ledger.attributions, or 0 for the
// empty attribution, which messages have that an older version read.
type attributionID uint32

const (
	// maxAttributions limits the attributions, and maxMessageLabels the labels of messages
	// up to which further ones have their own attribution: each label has its limit, but
	// lines could make up millions of combinations. Beyond that, names become Other.
	maxAttributions  = 1 << 14
	maxMessageLabels = 1 << 17

	// unknownAgentType is the type of sub-agents that is not stated anywhere.
	unknownAgentType = "unknown"
	// subagentLabel is the agent label of sub-agents with a type.
	subagentLabel = "subagent"
)

// attribute determines what a line works for.
func (l *Ledger) attribute(lc *lineContext, e *transcript.Entry) {
	var stated transcript.Attribution
	if e.Attribution != nil {
		stated = *e.Attribution
	}
	if lc.side {
		lc.statedType = l.bounded(agentTypeLabel, stated.AgentType, lc.when)
		lc.agentType = cmp.Or(lc.statedType, l.fileAttrs.values[lc.file.attrs].agentType, unknownAgentType)
	}
	if e.Message == nil {
		return
	}
	a := attribution{
		skill: l.bounded(skillLabel, stated.Skill, lc.when), plugin: l.bounded(pluginLabel, stated.Plugin, lc.when),
		mcpServer: l.bounded(mcpServerLabel, stated.MCPServer, lc.when),
	}
	if lc.agent == subagentLabel {
		a.agentType = lc.agentType
	}
	lc.attribution = l.attributionID(a)
}

// attributionID returns the id of an attribution, or of its overflow.
func (l *Ledger) attributionID(a attribution) attributionID {
	if a == (attribution{}) {
		return 0
	}
	if _, known := l.attributions.ids[a]; !known && len(l.attributions.values) >= maxAttributions {
		a = a.overflow()
	}
	return attributionID(l.attributions.id(a) + 1)
}

// attributionOf is the inverse of attributionID.
func (l *Ledger) attributionOf(id attributionID) attribution {
	if id == 0 {
		return attribution{}
	}
	return l.attributions.values[id-1]
}

// overflow returns the attribution with Other for every name.
func (a attribution) overflow() attribution {
	for _, name := range []*string{&a.agentType, &a.skill, &a.plugin, &a.mcpServer} {
		if *name != "" {
			*name = Other
		}
	}
	return a
}

// isStated reports whether Claude Code states what the message works for, apart from
// its sub-agent.
func (a *attribution) isStated() bool { return a.skill != "" || a.plugin != "" || a.mcpServer != "" }

// limitAttributions returns the labels under which a message is counted: with the
// overflow of their attribution if there are too many labels.
func (l *Ledger) limitAttributions(m messageLabels, when int64) messageLabels {
	if m.attribution == 0 || len(l.messageLabels.values) < maxMessageLabels {
		return m
	}
	if _, known := l.messageLabels.ids[m]; !known {
		l.add(labelOverflow, 1, when, "", combined)
		m.attribution = l.attributionID(l.attributionOf(m.attribution).overflow())
	}
	return m
}

// withoutAgentType returns the attribution of iterations, which are not requests of the
// sub-agent.
func (l *Ledger) withoutAgentType(id attributionID) attributionID {
	a := l.attributionOf(id)
	a.agentType = ""
	return l.attributionID(a)
}

// countAttributedRequest counts a message by what it works for.
func (l *Ledger) countAttributedRequest(lc *lineContext, m *messageLabels) {
	a := l.attributionOf(m.attribution)
	if a.agentType != "" {
		l.add(subagentRequests, 1, lc.when, m.source, a.agentType)
	}
	if a.isStated() {
		l.add(attributedRequests, 1, lc.when, m.source, a.skill, a.plugin, a.mcpServer)
	}
}

// countAttributedTokens counts tokens by what their message works for.
func (l *Ledger) countAttributedTokens(lc *lineContext, m *messageLabels, u *transcript.Usage) {
	a, n := l.attributionOf(m.attribution), SaturatingAdd(contextOf(u), u.Output)
	if a.agentType != "" {
		l.add(subagentTokens, n, lc.when, m.source, a.agentType, m.model)
	}
	if a.isStated() {
		l.add(attributedTokens, n, lc.when, m.source, a.skill, a.plugin, a.mcpServer)
	}
}

// chargeAttributed counts a cost by what its message works for.
func (l *Ledger) chargeAttributed(lc *lineContext, m *messageLabels, n uint64) {
	if n == 0 {
		return
	}
	a := l.attributionOf(m.attribution)
	if a.agentType != "" {
		l.add(subagentCost, n, lc.when, m.source, a.agentType, m.model)
	}
	if a.isStated() {
		l.add(attributedCost, n, lc.when, m.source, a.skill, a.plugin, a.mcpServer)
	}
}

// countAttributedCall counts a tool call by the type of its sub-agent, and by the skill
// that it starts.
func (l *Ledger) countAttributedCall(lc *lineContext, u *transcript.ToolUse) {
	if lc.agent == subagentLabel {
		l.add(subagentToolCalls, 1, lc.when, lc.source, lc.agentType)
	}
	if u.Skill != "" {
		l.add(skillCalls, 1, lc.when, lc.source, l.bounded(skillLabel, u.Skill, lc.when))
	}
}

func codeAttribution(c *codec.Coder, a *attribution) {
	codec.String(c, 1, &a.agentType)
	codec.String(c, 2, &a.skill)
	codec.String(c, 3, &a.plugin)
	codec.String(c, 4, &a.mcpServer)
}

// codeEntryAttribution omits the names, of which only labels are counted.
func codeEntryAttribution(c *codec.Coder, a *transcript.Attribution) {
	codec.String(c, 1, &a.AgentType)
	codec.String(c, 2, &a.Skill)
	codec.String(c, 3, &a.Plugin)
	codec.String(c, 4, &a.MCPServer)
}

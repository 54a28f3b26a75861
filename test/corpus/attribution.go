package corpus

import "cmp"

// The versions from which on assistant entries state what they work for.
var (
	skillsSince = v(2, 1, 123)
	agentsSince = v(2, 1, 126)
)

// A purpose is what a message works for. The labels are those that ccwatchd has without
// a configuration of allowed names.
type purpose struct {
	skill, plugin, server string // as written
	skillLabel            string
}

// purposes are those that messages have; the names of plugins are never exposed.
var purposes = []purpose{
	{skill: "code-review", skillLabel: "code-review"},
	{skill: "verify", skillLabel: "verify"},
	{skill: "team-deploy", skillLabel: "custom"},
	{skill: "acme:report", plugin: "acme", skillLabel: "custom"},
	{server: "plugin:acme:tickets"},
	{server: "tracker"},
}

// labels returns the labels of the metrics of a purpose.
func (p *purpose) labels() string {
	plugin := ""
	if p.plugin != "" {
		plugin = "custom"
	}
	return "plugin=" + plugin + ",skill=" + p.skillLabel
}

// agentTypes are types of sub-agents, one of them a user's own.
var agentTypes = []string{"Explore", "general-purpose", "Plan", "team-reviewer"}

// attribute decides what a message works for. A skill stays in use for a while.
func (t *transcript) attribute(m *message) {
	m.agent = t.agentType
	m.isSubagent = t.scope() == "subagent" && (t.agent == "" || t.kind == "task" || t.kind == "workflow")
	if t.version < skillsSince {
		return
	}
	switch {
	case t.purpose == nil && t.chance(8):
		t.purpose = &purposes[t.IntN(len(purposes))]
	case t.purpose != nil && t.chance(25):
		t.purpose = nil
	}
	m.purpose = t.purpose
}

// attribution writes what a message works for.
func (t *transcript) attribution(m *message) {
	for _, name := range [][2]string{{"Agent", m.agent}, {"Skill", m.of().skill}, {"Plugin", m.of().plugin}, {"McpServer", m.of().server}} {
		if name[1] != "" {
			t.raw(`,"attribution`, name[0], `":"`, name[1], `"`)
		}
	}
}

// of returns the purpose of a message, an empty one if it has none.
func (m *message) of() *purpose { return cmp.Or(m.purpose, &purpose{}) }

// attributed counts a message by what it works for, or takes it back if sign is -1.
func (e *Expected) attributed(m *message, sign int) {
	tokens := m.usage.tokens()
	if m.isSubagent {
		e.add("subagent_requests", "", sign)
		e.add("subagent_tokens", "", sign*tokens)
	}
	if m.purpose == nil {
		return
	}
	for _, it := range m.iterations {
		if it.counted() {
			tokens += it.usage.tokens()
		}
	}
	e.add("attributed_requests", m.purpose.labels(), sign)
	e.add("attributed_tokens", m.purpose.labels(), sign*tokens)
}

// tokens returns the tokens of all types together.
func (u *usage) tokens() int { return u[input] + u[output] + u[read] + u[written] }

// beginAgent draws the type of a sub-agent, which its entries state if the version has
// that.
func (t *transcript) beginAgent(kind string) {
	t.kind = kind
	if t.version >= agentsSince && kind == "task" {
		t.agentType = pick(t.rng, agentTypes...)
	}
}

// description returns the content of the file beside the transcript of a sub-agent.
func (t *transcript) description() string {
	kind := cmp.Or(t.agentType, map[string]string{"workflow": "workflow-subagent"}[t.kind], "Explore")
	return `{"agentType":"` + kind + `","description":"Look for the cause"}`
}

// skillCall counts a call of a tool if it starts a skill.
func (e *Expected) skillCall(tool string) {
	if tool == "Skill" {
		e.add("skill_calls", "", 1)
	}
}

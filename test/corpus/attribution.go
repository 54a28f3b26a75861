package corpus

import "cmp"

// The versions from which on assistant entries state what they work for.
var (
	skillsSince = v(2, 1, 123)
	agentsSince = v(2, 1, 126)
)

// A purpose is what a message works for.
type purpose struct{ skill, plugin, server string }

// purposes are those that messages have.
var purposes = []purpose{
	{skill: "code-review"},
	{skill: "verify"},
	{skill: "team-deploy"},
	{skill: "acme:report", plugin: "acme"},
	{server: "plugin:acme:tickets"},
	{server: "tracker"},
}

// agentTypes are types of sub-agents, one of them a user's own.
var agentTypes = []string{"Explore", "general-purpose", "Plan", "team-reviewer"}

// attribute decides what a message works for. A skill stays in use for a while.
func (t *transcript) attribute(m *message) {
	m.agent = t.agentType
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

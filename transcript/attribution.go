package transcript

import (
	"cmp"
	"strings"
)

// An Attribution names the agent, skill, plugin and MCP server that an assistant entry
// works for, as far as the entry states them (Claude Code 2.1.123 and later). Names
// that a user chose may be private: the reader of the file derives labels from them
// with its configuration. The Parser leaves the labels empty, except for MCPServer.
type Attribution struct {
	AgentName  string // "attributionAgent": the type of the sub-agent
	SkillName  string // "attributionSkill": the skill in use
	PluginName string // "attributionPlugin": the plugin that provides it

	AgentType, Skill, Plugin string // labels, empty if the entry has no such name
	MCPServer                string // "attributionMcpServer": cleaned
}

// attribution reads the names. It returns nil if there are none.
func (p *Parser) attribution(to *Buffer) *Attribution {
	r := &p.raw.attribution
	if len(r[0])+len(r[1])+len(r[2])+len(r[3]) == 0 {
		return nil
	}
	a := Attribution{AgentName: p.label(r[0]), SkillName: p.label(r[1]), PluginName: p.label(r[2]), MCPServer: p.label(r[3])}
	if a == (Attribution{}) {
		return nil
	}
	return push(&to.attributions, a)
}

// skillTool is the name of the tool that starts a skill.
const skillTool = "Skill"

// skillName returns the name of the skill that a call of the tool "Skill" starts, or ""
// if it states none.
func (p *Parser) skillName(b *rawBlock) string {
	return cmp.Or(p.label(b.input.skill), p.label(b.input.command))
}

const (
	// MaxAgentDescription is the length of the longest description of a sub-agent, in
	// bytes.
	MaxAgentDescription = 64 << 10

	descriptionSuffix = ".meta.json"
)

// DescriptionName returns the base name of the file that describes a sub-agent, given
// the base name of its transcript.
func DescriptionName(base string) string {
	name, _, _ := strings.Cut(base, transcriptSuffix)
	return name + descriptionSuffix
}

// AgentType returns the cleaned "agentType" in the description of a sub-agent, or "" if
// there is none.
func AgentType(description []byte) string {
	description = trim(description, true)
	if len(description) == 0 || description[0] != '{' || scanValue(description, 0) != len(description) {
		return ""
	}
	return Clean(rawValue(description).member("agentType").str())
}

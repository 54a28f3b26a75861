package config

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// Agent returns the label value of a type of sub-agents: its name if it is built into
// Claude Code or listed in Labels.Commands, otherwise Custom, because the names of
// users' own types may be private.
func (l *Labels) Agent(name string) string {
	if _, builtin := slices.BinarySearch(builtinAgents, name); builtin {
		return name
	}
	return l.Plugin(name)
}

// Skill is like Agent, for skills. Bundled skills are commands, so it is Command.
func (l *Labels) Skill(name string) string { return l.Command(name) }

// Plugin is like Agent, for plugins. None is built in.
func (l *Labels) Plugin(name string) string {
	if name != "" && (slices.Contains(l.Commands, name) || slices.Contains(l.Commands, anyCommand)) {
		return transcript.Clean(name)
	}
	return Custom
}

// builtinAgents are the types of sub-agents of Claude Code, including those of earlier
// versions. They are sorted.
var builtinAgents = []string{
	"Bash", "Explore", "Plan", "claude-code-guide", "fork", "general-purpose", "output-style-setup",
	"statusline-setup", "workflow-subagent",
}

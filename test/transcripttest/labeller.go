package transcripttest

import "path"

// A Labeller names projects by the last element of their directory, no command except
// /clear, all types of sub-agents, and no skill or plugin except some.
type Labeller struct{}

// Project returns the label of a working directory.
func (Labeller) Project(cwd string) string {
	if cwd == "" {
		return ""
	}
	return path.Base(cwd)
}

// Command returns the label of a slash command.
func (Labeller) Command(name string) string {
	if name == "clear" {
		return name
	}
	return "custom"
}

// Agent returns the label of a type of sub-agents.
func (Labeller) Agent(name string) string { return name }

// Skill returns the label of a skill.
func (Labeller) Skill(name string) string {
	if name == "code-review" || name == "verify" {
		return name
	}
	return "custom"
}

// Plugin returns the label of a plugin.
func (Labeller) Plugin(name string) string {
	if name == "tools" {
		return name
	}
	return "custom"
}

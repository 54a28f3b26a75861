package config

import (
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// Custom is the label value of slash commands that are not exposed by name.
const Custom = "custom"

// anyCommand in Labels.Commands matches every command.
const anyCommand = "*"

// Command returns the label value of a slash command, given with or without its
// slash: its name if it is built into Claude Code or listed in Labels.Commands,
// otherwise Custom, because the names of users' own commands may be private. An
// empty name is Custom, too.
func (l *Labels) Command(name string) string {
	return l.known(builtins, strings.TrimPrefix(name, "/"))
}

// Agent is like Command, for the types of sub-agents.
func (l *Labels) Agent(name string) string { return l.known(builtinAgents, name) }

// Skill is like Command, for skills. Bundled skills are commands.
func (l *Labels) Skill(name string) string { return l.Command(name) }

// Plugin is like Command, for plugins. None is built in.
func (l *Labels) Plugin(name string) string { return l.known(nil, name) }

func (l *Labels) known(builtins []string, name string) string {
	_, builtin := slices.BinarySearch(builtins, name)
	if name != "" && (builtin || slices.Contains(l.Commands, name) || slices.Contains(l.Commands, anyCommand)) {
		return transcript.Clean(name)
	}
	return Custom
}

// builtinAgents are the types of sub-agents of current and earlier versions of Claude
// Code. They are sorted.
var builtinAgents = []string{
	"Bash", "Explore", "Plan", "claude-code-guide", "fork", "general-purpose", "output-style-setup",
	"statusline-setup", "workflow-subagent",
}

// builtins are the commands, bundled skills and workflows of Claude Code up to
// version 2.1.287, as its documentation lists them, including aliases and names of
// earlier versions. They are sorted.
var builtins = []string{
	"add-dir", "advisor", "agents", "allowed-tools", "android", "app", "artifact-capabilities",
	"artifact-diagramming", "artifacts", "auto-mode-setup", "autocompact", "autofix-pr",
	"background", "bashes", "batch", "bg", "branch", "btw", "bug",
	"cd", "checkpoint", "checkup", "chrome", "claude-api", "claude-in-chrome", "clear", "code-review",
	"color", "compact", "config", "context", "continue", "copy", "cost",
	"dataviz", "debug", "deep-research", "design", "design-login", "design-sync", "desktop", "diff", "doctor",
	"effort", "exit", "export", "extra-usage",
	"fast", "feedback", "fewer-permission-prompts", "focus", "fork",
	"goal",
	"heapdump", "help", "hooks",
	"ide", "import", "init", "insights", "install-github-app", "install-slack-app", "ios",
	"keybindings",
	"list-agents", "login", "logout", "loop",
	"marketplace", "mcp", "memory", "migrate-installer", "mobile", "model",
	"new",
	"output-style", "output-style:new",
	"passes", "peers", "permissions", "plan", "plugin", "plugin-authoring", "plugins", "powerup",
	"pr-comments", "pr_comments", "privacy-settings", "proactive",
	"quit",
	"radio", "rate-limit-options", "rc", "recap", "release-notes", "reload-plugins", "reload-skills",
	"remote-control", "remote-env", "rename", "reset", "resume", "review", "rewind", "routines", "run",
	"run-skill-generator",
	"sandbox", "schedule", "scroll-speed", "security-review", "settings", "setup-bedrock", "setup-vertex",
	"share", "simplify", "skill-doctor", "skills", "slides", "stats", "status", "statusline", "stickers",
	"stop", "subtask",
	"tasks", "team-onboarding", "teleport", "terminal-setup", "theme", "todos", "tp", "tui",
	"ultraplan", "ultrareview", "undo", "update-config", "upgrade", "usage", "usage-credits",
	"verify", "vim", "voice",
	"web-setup", "workflow-authoring", "workflows",
}

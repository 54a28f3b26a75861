package config

import (
	"slices"
	"testing"
)

func TestCommand(t *testing.T) {
	for _, test := range []struct {
		name    string
		allowed []string
		want    string
	}{
		{"", nil, "custom"},
		{"", []string{"*"}, "custom"},
		{"/", nil, "custom"},
		{"clear", nil, "clear"},
		{"/clear", nil, "clear"},
		{"add-dir", nil, "add-dir"},
		{"workflows", nil, "workflows"},
		{"security-review", nil, "security-review"},
		{"Clear", nil, "custom"},
		{"deploy", nil, "custom"},
		{"deploy", []string{"release", "deploy"}, "deploy"},
		{"/deploy", []string{"deploy"}, "deploy"},
		{"deploy-x", []string{"deploy"}, "custom"},
		{"plugin:clear", nil, "custom"},
		{"plugin:clear", []string{"plugin:clear"}, "plugin:clear"},
		{"mcp__server__prompt", nil, "custom"},
		{"anything at\nall", []string{"*"}, "anything atall"},
	} {
		l := &Labels{Commands: test.allowed}
		if got := l.Command(test.name); got != test.want {
			t.Errorf("%q with %q: got %q, want %q", test.name, test.allowed, got, test.want)
		}
	}
}

func TestAttributionLabels(t *testing.T) {
	for _, test := range []struct {
		name                 string
		allowed              []string
		agent, skill, plugin string
	}{
		{"", []string{"*"}, "custom", "custom", "custom"},
		{"Explore", nil, "Explore", "custom", "custom"},
		{"explore", nil, "custom", "custom", "custom"},
		{"workflow-subagent", nil, "workflow-subagent", "custom", "custom"},
		{"code-review", nil, "custom", "code-review", "custom"},
		{"/code-review", nil, "custom", "code-review", "custom"},
		{"mine", []string{"other", "mine"}, "mine", "mine", "mine"},
		{"plugin:mine", []string{"mine"}, "custom", "custom", "custom"},
		{"any\nname", []string{"*"}, "anyname", "anyname", "anyname"},
	} {
		l := &Labels{Commands: test.allowed}
		got := [...]string{l.Agent(test.name), l.Skill(test.name), l.Plugin(test.name)}
		if want := [...]string{test.agent, test.skill, test.plugin}; got != want {
			t.Errorf("%q with %q: got %q, want %q", test.name, test.allowed, got, want)
		}
	}
}

// A single name need not be in a list.
func TestSingleCommand(t *testing.T) {
	for text, want := range map[string]string{
		"labels: {commands: '*'}":         "deploy",
		"labels: {commands: ['*']}":       "deploy",
		"labels: {commands: /deploy}":     "deploy",
		"labels: {commands: [undeploy]}":  "custom",
		"labels: {commands: undeploy}":    "custom",
		"labels:\n  commands:\n  - '*'\n": "deploy",
		"labels: {commands: }":            "custom",
	} {
		c, err := Load(write(t, t.TempDir(), text), environ(t.TempDir()))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := c.Labels.Command("/deploy"); got != want {
			t.Errorf("%q: /deploy is %q, want %q", text, got, want)
		}
	}
}

func TestBuiltinsAreSorted(t *testing.T) {
	for _, names := range [][]string{builtins, builtinAgents} {
		if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("not sorted, or with a duplicate: %q", names)
		}
	}
}

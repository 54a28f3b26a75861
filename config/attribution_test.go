package config

import (
	"slices"
	"testing"
)

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
	if !slices.IsSorted(builtinAgents) {
		t.Error("builtinAgents are not sorted")
	}
}

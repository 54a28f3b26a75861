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

func TestBuiltinsAreSorted(t *testing.T) {
	if !slices.IsSorted(builtins) {
		t.Error("builtins are not sorted")
	}
	if unique := slices.Compact(slices.Clone(builtins)); len(unique) != len(builtins) {
		t.Error("builtins contain a duplicate")
	}
}

package transcript

import (
	"strings"
	"testing"
)

func TestAttribution(t *testing.T) {
	for _, tt := range []struct {
		name, members string
		want          *Attribution
	}{
		{"none", `"attributionMcpTool":"t"`, nil},
		{"agent", `"attributionAgent":"Explore"`, &Attribution{AgentName: "Explore"}},
		{
			"skill of a plugin", `"attributionPlugin":"p","attributionSkill":"p:s"`,
			&Attribution{SkillName: "p:s", PluginName: "p"},
		},
		{"MCP server", `"attributionMcpServer":"plugin:p:s"`, &Attribution{MCPServer: "plugin:p:s"}},
		{"cleaned", `"attributionSkill":"a\n` + strings.Repeat("b", 200) + `"`, &Attribution{SkillName: "a" + strings.Repeat("b", 127)}},
		{"empty", `"attributionAgent":"","attributionSkill":"\u0000"`, nil},
		{"not strings", `"attributionAgent":1,"attributionSkill":null,"attributionPlugin":["p"]`, nil},
	} {
		for _, line := range []string{
			`{"type":"assistant","message":{},` + tt.members + `}`,
			`{` + tt.members + `,"type":"assistant"}`,
		} {
			got := parseOne(t, line).Attribution
			if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
				t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
			}
		}
		if got := parseOne(t, `{"type":"user",`+tt.members+`}`).Attribution; got != nil {
			t.Errorf("%s of a user entry: got %+v", tt.name, *got)
		}
	}
}

func TestSkillName(t *testing.T) {
	for block, want := range map[string]string{
		`"name":"Skill","input":{"skill":"review","args":"x"}`:       "review",
		`"input":{"command":"pdf"},"name":"Skill"`:                   "pdf",
		`"name":"Skill","input":{"command":"old","skill":"new"}`:     "new",
		`"name":"Skill","input":{"command":"c","skill":7}`:           "c",
		`"name":"Skill","input":"review"`:                            "",
		`"name":"Skill"`:                                             "",
		`"name":"Bash","input":{"command":"ls","skill":"review"}`:    "",
		`"name":"mcp__s__Skill","input":{"skill":"review"}`:          "",
		`"name":"Skill","input":{"skill":"a\u0007b","command":null}`: "ab",
	} {
		uses := parseOne(t, `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t",`+block+`}]}}`).Uses
		if len(uses) != 1 || uses[0].SkillName != want || uses[0].Skill != "" {
			t.Errorf("%s: got %+v, want %q", block, uses, want)
		}
	}
}

func TestDescriptionName(t *testing.T) {
	for base, want := range map[string]string{
		"agent-a1.jsonl":           "agent-a1.meta.json",
		"agent-a1.jsonl.new.jsonl": "agent-a1.meta.json",
	} {
		equal(t, base, DescriptionName(base), want)
	}
}

func TestAgentType(t *testing.T) {
	for description, want := range map[string]string{
		`{"agentType":"Explore","description":"x"}`:      "Explore",
		"\xef\xbb\xbf{\"agentType\":\"Explore\"}\n":      "Explore",
		`{"description":"agentType","agentType":"a\nb"}`: "ab",
		`{"agentType":7}`:                    "",
		`{"nested":{"agentType":"Explore"}}`: "",
		`["agentType"]`:                      "",
		`{"agentType":"Explore"`:             "",
		`{"agentType":"Explore"}{}`:          "",
		`"agentType"`:                        "",
		``:                                   "",
		"\x00\x00":                           "",
		`{"agentType":"` + strings.Repeat("x", 200) + `"}`: strings.Repeat("x", 128),
		`{"agentType":"a","agentType":"b"}`:                "b",
	} {
		equal(t, description, AgentType([]byte(description)), want)
	}
}

package scenario_test

import (
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/claudecode"
	"github.com/ccwatchd/ccwatchd/test/claudecode/judge"
	"github.com/ccwatchd/ccwatchd/test/claudecode/scenario"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
)

// All scenarios can be read, for old and new versions, and list known reasons.
func TestScenarios(t *testing.T) {
	for _, test := range []struct {
		version string
		least   int
		tool    string
	}{{"1.0.30", 12, "Task"}, {"2.1.20", 20, "Task"}, {"2.1.332", 40, "Agent"}} {
		all, err := scenario.Read(claudecode.Scenarios(), version.MustParse(test.version))
		if err != nil || len(all) < test.least {
			t.Fatalf("%s: got %d scenarios, %v", test.version, len(all), err)
		}
		for _, s := range all {
			for _, name := range s.Reasons {
				if !known(name) {
					t.Errorf("%s lists an unknown reason: %s", s.Name, name)
				}
			}
			if s.Name == "subagent" && s.Scripts["main"][0].Blocks[0]["name"] != test.tool {
				t.Errorf("%s: got blocks %v", test.version, s.Scripts["main"][0].Blocks)
			}
		}
	}
}

func known(name string) bool {
	for _, r := range judge.Reasons {
		if r.Name == name {
			return true
		}
	}
	return false
}

func TestParseFails(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"steps: [{claude: [-p]}]", "first line must be a comment"},
		{"# About.\nscripts: {}", "no steps"},
		{"# About.\nsteps: [{claude: [-p]}]\nunknown: 1", "field unknown not found"},
		{"# About.\nsteps: [{claude: [-p]}]\nscripts: {main: [{blocks: [{a: 1, b: 2}]}]}", "block with one key"},
		{"# About.\nsteps: [{claude: [-p]}]\nscripts: {main: [{blocks: [text: a], cut: nowhere}]}", "no event"},
		{"# About.\nsince: new\nsteps: [{claude: [-p]}]", "not a version"},
	} {
		_, err := scenario.Parse("name", []byte(test.text), version.MustParse("2.1.332"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v", test.text, err)
		}
	}
}

func TestAbout(t *testing.T) {
	s, err := scenario.Parse("name", []byte("# What it\n# shows.\nsince: 2.1.0\nsteps: [{claude: [$WORK]}]\n"), version.MustParse("2.1.332"))
	if err != nil || s.About != "What it shows." || s.Steps[0].Claude[0] != scenario.Work {
		t.Errorf("got %+v, %v", s, err)
	}
	if s.Applies(version.MustParse("2.0.76")) || !s.Applies(version.MustParse("2.1.0")) {
		t.Error("since is not observed")
	}
}

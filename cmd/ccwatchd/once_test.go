package main

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares what is printed with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		writeFile(t, path, got)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("it is not as %s has it; look at what is other, and run the test with -update if that is right:\n%s", path, got)
	}
}

// buildInfo is what differs from build to build.
var buildInfo = regexp.MustCompile(`(?m)^ccwatchd_build_info\{.*\n`)

func TestOncePrintsTheExposition(t *testing.T) {
	for _, test := range []struct{ name, fixture, config string }{
		{"subagents.prom", "05-subagents", "buckets: {tool_duration_seconds: [1, 60]}\n"},
		{"turns.prom", "09-human-turns", `labels: {project: {map: [{match: '/home/(\w+)/.*', name: of $1}]}}` + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			p.configure(t, test.config)
			dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", "fixtures", test.fixture))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, test.name, buildInfo.ReplaceAllString(p.once(t, dir), ""))
		})
	}
}

// Once reads what the configuration names, or else what the environment does.
func TestOnceFindsTheSessions(t *testing.T) {
	for _, test := range []struct {
		name, file string
		config     string
		env        []string
	}{
		{name: "the home directory", file: "<home>/.claude/projects"},
		{name: "the other place in it", file: "<home>/.config/claude/projects"},
		{name: "XDG_CONFIG_HOME", file: "<home>/x/claude/projects", env: []string{"XDG_CONFIG_HOME=<home>/x"}},
		{name: "CLAUDE_CONFIG_DIR", file: "<home>/b/projects", env: []string{"CLAUDE_CONFIG_DIR=<home>/a,<home>/b"}},
		{name: "the configuration", file: "<home>/c", config: "sources: [{path: ~/c}]\n", env: []string{"CLAUDE_CONFIG_DIR=<home>/a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			in := strings.NewReplacer("<home>", p.home)
			s := script{cwd: "/home/dev/app", session: uuid(1)}
			writeFile(t, filepath.Join(in.Replace(test.file), "-home-dev-app", s.session+".jsonl"), s.prompt("hello"))
			args := []string{"once"}
			if test.config != "" {
				p.configure(t, test.config)
				args = append(args, "--config.file="+p.config)
			}
			env := make([]string, len(test.env))
			for i, v := range test.env {
				env[i] = in.Replace(v)
			}
			stdout, stderr, code := p.runIn(t, env, args...)
			if want := "\n" + `claude_prompts_total{kind="text",project="app"} 1` + "\n"; code != 0 || !strings.Contains(stdout, want) {
				t.Errorf("code %d, %s\nlacks %s:\n%s", code, stderr, want, stdout)
			}
		})
	}
}

func TestOnceWithoutSessions(t *testing.T) {
	p := newPlace(t)
	stdout, stderr, code := p.run(t, "once", "--state.dir="+p.state)
	if code != 0 || !strings.Contains(stderr, `msg="No sessions found"`) {
		t.Errorf("code %d, and it says\n%s", code, stderr)
	}
	if !strings.Contains(stdout, "\nccwatchd_read_bytes_total 0\n") || strings.Contains(stdout, "go_") {
		t.Errorf("it prints\n%s", stdout)
	}
}

// Once leaves the state alone: a daemon may be using it.
func TestOnceKeepsNoState(t *testing.T) {
	p := filled(t)
	before := p.once(t, p.projects())
	if _, err := os.Stat(p.state); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a state directory: %v", err)
	}
	d := p.start(t).ready()
	pid := filepath.Join(p.state, "pid")
	if _, _, code := p.run(t, "once", "--state.dir="+p.state); code != 0 {
		t.Errorf("exit code %d beside a daemon", code)
	}
	if b, err := os.ReadFile(pid); err != nil || string(b) != strconv.Itoa(d.cmd.Process.Pid)+"\n" {
		t.Errorf("the state directory was taken over: %q, %v", b, err)
	}
	if after := p.once(t, p.projects()); after != before {
		t.Errorf("it printed\n%s and then\n%s", before, after)
	}
}

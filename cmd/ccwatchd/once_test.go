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

// Of a directory with a projects directory only that is read, as the daemon does.
func TestOnceReadsProjects(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []string // with a session each
		dirs  []string
		want  string
	}{
		{"a configuration directory", []string{"projects/p/1.jsonl", "backups/p/2.jsonl", "3.jsonl"}, []string{"."}, "1"},
		{"its projects directory", []string{"projects/p/1.jsonl", "backups/p/2.jsonl"}, []string{"projects"}, "1"},
		{"both", []string{"projects/p/1.jsonl", "backups/p/2.jsonl"}, []string{"projects", "."}, "1"},
		{"no projects directory", []string{"p/1.jsonl", "2.jsonl", "p/projects/3.jsonl"}, []string{"."}, "3"},
		{"projects is a file", []string{"p/1.jsonl", "projects"}, []string{"."}, "1"},
		{"several", []string{"a/projects/p/1.jsonl", "a/2.jsonl", "b/p/3.jsonl"}, []string{"a", "b"}, "2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, dir := newPlace(t), t.TempDir()
			for i, file := range test.files {
				s := script{cwd: "/home/dev/app", session: uuid(i)}
				writeFile(t, filepath.Join(dir, filepath.FromSlash(file)), s.prompt("hello"))
			}
			args := []string{"once"}
			for _, d := range test.dirs {
				args = append(args, filepath.Join(dir, d))
			}
			stdout, stderr, code := p.run(t, args...)
			if code != 0 {
				t.Fatalf("code %d: %s", code, stderr)
			}
			if want := "\n" + `claude_sessions_total{project="app"} ` + test.want + "\n"; !strings.Contains(stdout, want) {
				t.Errorf("it lacks %s:\n%s", want, stdout)
			}
		})
	}
}

// What is unknown is named on standard error, each name once.
func TestOnceNamesWhatIsUnknown(t *testing.T) {
	p, dir := newPlace(t), t.TempDir()
	writeFile(t, filepath.Join(dir, "p", "1.jsonl"), `{"type":"new-latch"}
{"type":"new-latch"}
{"type":"new-reply","message":{}}
{"type":"my secret","message":{}}
`)
	stdout, stderr, code := p.run(t, "once", dir)
	for _, want := range []string{"level=INFO", "kind=metadata_type name=new-latch", "level=WARN", "kind=type name=new-reply", `kind=type name="(not an identifier)"`} {
		if code != 0 || strings.Count(stderr, want) == 0 || strings.HasPrefix(want, "kind") && strings.Count(stderr, want) != 1 {
			t.Errorf("code %d, and it lacks %s, or has it twice:\n%s", code, want, stderr)
		}
	}
	if strings.Contains(stderr+stdout, "secret") {
		t.Errorf("it prints text of a transcript:\n%s%s", stderr, stdout)
	}
}

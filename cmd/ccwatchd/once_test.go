package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// buildInfo matches the line that differs between builds.
var buildInfo = regexp.MustCompile(`(?m)^ccwatchd_build_info\{.*\n`)

func TestOncePrintsTheExposition(t *testing.T) {
	for _, test := range []struct{ name, fixture, config string }{
		{"subagents.prom", "05-subagents", "buckets: {tool_duration_seconds: [1, 60]}\n"},
		{"turns.prom", "09-human-turns", `labels: {project: {map: [{match: '/home/(\w+)/.*', name: of $1}]}}` + "\n"},
		{"limits.prom", "13-usage-limits", ""},
		{"latency.prom", "15-latency", ""},
		{"requests.prom", "14-cache-misses", ""},
		{"work.prom", "18-work", ""},
		{"attribution.prom", "16-attribution", ""},
		{"request-attributes.prom", "17-request-attributes", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newSandbox(t)
			p.configure(t, test.config)
			dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", "fixtures", test.fixture))
			if err != nil {
				t.Fatal(err)
			}
			difftest.Golden(t, filepath.Join("testdata", test.name), buildInfo.ReplaceAllString(p.once(t, dir), ""))
		})
	}
}

// Once reads the paths on the command line, or else the sources of the configuration,
// or else the directories of the environment. If a directory has a projects directory,
// it reads only the projects directory.
func TestOnceFindsSessions(t *testing.T) {
	for _, test := range []struct {
		name   string
		files  []string // below the home directory, with a session each
		paths  []string // on the command line
		config string
		env    string
		want   int // sessions
	}{
		{name: "the home directory", files: []string{".claude/projects/p/1.jsonl"}, want: 1},
		{name: "XDG default", files: []string{".config/claude/projects/p/1.jsonl"}, want: 1},
		{name: "XDG_CONFIG_HOME", files: []string{"x/claude/projects/p/1.jsonl"}, env: "XDG_CONFIG_HOME=<home>/x", want: 1},
		{name: "CLAUDE_CONFIG_DIR", files: []string{"b/projects/p/1.jsonl"}, env: "CLAUDE_CONFIG_DIR=<home>/a,<home>/b", want: 1},
		{name: "the configuration", files: []string{"c/p/1.jsonl"}, config: "sources: [{path: ~/c}]\n", env: "CLAUDE_CONFIG_DIR=<home>/a", want: 1},

		{name: "a configuration directory", files: []string{"d/projects/p/1.jsonl", "d/backups/p/2.jsonl", "d/3.jsonl"}, paths: []string{"d"}, want: 1},
		{name: "its projects directory", files: []string{"d/projects/p/1.jsonl", "d/backups/p/2.jsonl"}, paths: []string{"d/projects"}, want: 1},
		{name: "both", files: []string{"d/projects/p/1.jsonl", "d/backups/p/2.jsonl"}, paths: []string{"d/projects", "d"}, want: 1},
		{name: "no projects directory", files: []string{"d/p/1.jsonl", "d/2.jsonl", "d/p/projects/3.jsonl"}, paths: []string{"d"}, want: 3},
		{name: "projects is a file", files: []string{"d/p/1.jsonl", "d/projects"}, paths: []string{"d"}, want: 1},
		{name: "a home directory", files: []string{"h/.claude/projects/p/1.jsonl", "h/.claude/jobs/j/timeline.jsonl", "h/projects/p/2.jsonl", "h/.cache/p/3.jsonl"}, paths: []string{"h"}, want: 1},
		{name: "beside other files of Claude Code", files: []string{"d/projects/p/1.jsonl", "d/jobs/j/timeline.jsonl"}, paths: []string{"d"}, want: 1},
		{name: "projects named as what is skipped", files: []string{"d/projects/memory/1.jsonl", "d/projects/tool-results/2.jsonl", "d/projects/p/memory/3.jsonl", "d/projects/memory/memory/4.jsonl"}, paths: []string{"d"}, want: 2},
		{name: "the same without a directory of projects", files: []string{"d/memory/1.jsonl", "d/p/tool-results/2.jsonl"}, paths: []string{"d"}, want: 1},
		{name: "several", files: []string{"a/projects/p/1.jsonl", "a/2.jsonl", "b/p/3.jsonl"}, paths: []string{"a", "b"}, want: 2},

		{name: "a file", files: []string{"d/p/1.jsonl", "d/p/2.jsonl", ".claude/projects/p/3.jsonl"}, paths: []string{"d/p/1.jsonl"}, want: 1},
		{name: "two files", files: []string{"d/p/1.jsonl", "d/p/2.jsonl", "d/3.jsonl"}, paths: []string{"d/3.jsonl", "d/p/2.jsonl"}, want: 2},
		{name: "a file twice", files: []string{"d/p/1.jsonl", "d/p/2.jsonl"}, paths: []string{"d/p/1.jsonl", "d/../d/p/1.jsonl"}, want: 1},
		{name: "a file in a directory", files: []string{"d/p/1.jsonl", "d/p/2.jsonl"}, paths: []string{"d/p/1.jsonl", "d"}, want: 2},
		{name: "a file and a directory", files: []string{"d/p/1.jsonl", "e/2.jsonl", "e/3.jsonl"}, paths: []string{"d/p/1.jsonl", "e"}, want: 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newSandbox(t)
			for i, file := range test.files {
				s := script{cwd: "/home/dev/app", session: uuid(i)}
				writeFile(t, filepath.Join(p.home, filepath.FromSlash(file)), s.prompt("hello"))
			}
			p.configure(t, test.config)
			args := append([]string{"--config.file=" + p.config, "once"}, test.paths...)
			stdout, stderr, code := p.with(strings.ReplaceAll(test.env, "<home>", p.home)).run(t, args...)
			want := "\n" + `claude_sessions_total{project="app"} ` + strconv.Itoa(test.want) + "\n"
			if code != 0 || !strings.Contains(stdout, want) || !strings.Contains(stdout, "\nclaude_prompts_total{") {
				t.Errorf("code %d, %s\nwant %s, got\n%s", code, stderr, want, difftest.Head(stdout))
			}
		})
	}
}

// The files of a directory, including the files of sub-agents, have the same metrics
// when given one by one as the directory.
func TestOnceReadsFiles(t *testing.T) {
	for _, dir := range fixtureDirs(t) {
		p := newSandbox(t)
		files := readTranscripts(t, filepath.Join(dir, "projects"))
		files.Write(t, p.projects())
		want := p.once(t, p.projects())
		args := []string{"--config.file=" + p.config, "once"}
		for _, name := range slices.Backward(files.Names()) {
			if filepath.Base(name) != "journal.jsonl" {
				args = append(args, filepath.Join(p.projects(), filepath.FromSlash(name)))
			}
		}
		if got, stderr, code := p.run(t, args...); code != 0 || got != want {
			t.Errorf("%s: code %d, %s\n%s", dir, code, stderr, difftest.Diff(want, got))
		}
	}
}

func TestOnceWithoutSessions(t *testing.T) {
	p := newSandbox(t)
	stdout, stderr, code := p.run(t, "once", "--state.dir="+p.state)
	if code != 0 || stderr != "ccwatchd: no sessions found in "+p.projects()+", "+filepath.Join(p.home, ".config", "claude", "projects")+"\n" {
		t.Errorf("code %d, got stderr\n%s", code, stderr)
	}
	if !strings.Contains(stdout, "\nccwatchd_read_bytes_total 0\n") || strings.Contains(stdout, "go_") {
		t.Errorf("got stdout\n%s", difftest.Head(stdout))
	}
}

// Once does not touch the state, which a daemon may be using.
func TestOnceKeepsNoState(t *testing.T) {
	p := filled(t)
	before := p.once(t, p.projects())
	if _, err := os.Stat(p.state); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the state directory exists: %v", err)
	}
	d := p.start(t).ready()
	if _, _, code := p.run(t, "once", "--state.dir="+p.state); code != 0 {
		t.Errorf("exit code %d while a daemon runs, want 0", code)
	}
	if b, err := os.ReadFile(filepath.Join(p.state, "pid")); err != nil || string(b) != strconv.Itoa(d.cmd.Process.Pid)+"\n" {
		t.Errorf("the state directory has another owner: %q, %v", b, err)
	}
	if after := p.once(t, p.projects()); after != before {
		t.Errorf("compared with before the daemon:\n%s", difftest.Diff(before, after))
	}
}

// Unknown names are logged once, and exposed in /-/status.
func TestUnknownNames(t *testing.T) {
	p := newSandbox(t)
	writeFile(t, filepath.Join(p.projects(), "p", "1.jsonl"), `{"type":"new-latch"}
{"type":"new-latch"}
{"type":"new-reply","message":{}}
{"type":"my secret","message":{}}
`)
	stdout, stderr, code := p.run(t, "once", "--log.format=logfmt")
	for _, want := range []string{"level=INFO", "kind=metadata_type name=new-latch", "level=WARN", "kind=type name=new-reply", `kind=type name="(not an identifier)"`} {
		if n := strings.Count(stderr, want); code != 0 || n == 0 || n != 1 && strings.HasPrefix(want, "kind") {
			t.Errorf("code %d, got %d times %s:\n%s", code, n, want, stderr)
		}
	}
	if strings.Contains(stderr+stdout, "secret") {
		t.Errorf("the output has text of a transcript:\n%s", difftest.Head(stderr+stdout))
	}
	status := p.start(t).ready().page("/-/status")
	if want := `{"kind":"type","name":"new-reply"}`; !strings.Contains(status, `"unknown_format":[`) || !strings.Contains(status, want) {
		t.Errorf("%s is missing in %s", want, status)
	}
}

// Once ignores files that are not transcripts, and reports unreadable files after
// reading the rest.
func TestOnceIgnoresOtherFiles(t *testing.T) {
	skipOnWindows(t)
	p := newSandbox(t)
	project := filepath.Join(p.projects(), "-home-dev-app")
	readTranscripts(t, filepath.Join(fixtureDirs(t)[0], "projects")).Write(t, p.projects())
	want := p.once(t, p.projects())
	if !strings.Contains(want, "\nclaude_requests_total{") {
		t.Fatalf("no request is counted:\n%s", difftest.Head(want))
	}
	makeDir(t, filepath.Join(project, "dir.jsonl"))
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	s := script{cwd: "/home/dev/app", session: uuid(1)}
	writeFile(t, outside, s.prompt("behind a link"))
	writeFile(t, filepath.Join(project, uuid(2)+".jsonl.backup"), s.prompt("in a backup"))
	symlink(t, outside, filepath.Join(project, "link.jsonl"))
	fifo := filepath.Join(project, "fifo.jsonl")
	makeFIFO(t, fifo)
	if got := p.once(t, p.projects()); got != want {
		t.Errorf("compared with the same without the other files:\n%s", difftest.Diff(want, got))
	}
	if _, stderr, code := p.run(t, "once", fifo); code != 1 || stderr != "ccwatchd: "+fifo+": neither a regular file nor a directory\n" {
		t.Errorf("a FIFO: code %d, got stderr %q", code, stderr)
	}
	if os.Getuid() == 0 {
		return // root can read every file
	}
	closed := filepath.Join(project, uuid(3)+".jsonl")
	writeFile(t, closed, s.prompt("unreadable"))
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	got, stderr, code := p.run(t, "once", p.projects())
	if code != 1 || got != want || !strings.Contains(stderr, "ccwatchd: files or directories that could not be read: 1\n") {
		t.Errorf("code %d, got stderr %s, and stdout, compared with readable files only:\n%s", code, stderr, difftest.Diff(want, got))
	}
}

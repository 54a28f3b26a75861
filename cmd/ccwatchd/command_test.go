package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// An invocation is a command line, and what comes of it. In all of it
// <home>, <state> and <dir> stand for directories of the test.
type invocation struct {
	name   string
	args   []string
	env    []string          // beside the usual, which has a home directory
	files  map[string]string // to be made in <dir>, by name
	code   int
	stderr string // what it says, as a regular expression from end to end
	stdout string // as a regular expression that matches anywhere
}

func (i *invocation) check(t *testing.T) {
	t.Helper()
	p := newPlace(t)
	dir := t.TempDir()
	in := strings.NewReplacer("<home>", p.home, "<state>", p.state, "<dir>", dir)
	for name, content := range i.files {
		writeFile(t, filepath.Join(dir, name), in.Replace(content))
	}
	args := make([]string, len(i.args))
	for n, arg := range i.args {
		args[n] = in.Replace(arg)
	}
	env := make([]string, len(i.env))
	for n, v := range i.env {
		env[n] = in.Replace(v)
	}
	stdout, stderr, code := p.runIn(t, env, args...)
	if code != i.code {
		t.Errorf("exit code %d, want %d", code, i.code)
	}
	quoted := strings.NewReplacer("<home>", regexp.QuoteMeta(p.home), "<state>", regexp.QuoteMeta(p.state), "<dir>", regexp.QuoteMeta(dir))
	said := logLines.ReplaceAllString(stderr, "")
	if want := regexp.MustCompile(`^` + quoted.Replace(i.stderr) + `$`); !want.MatchString(strings.TrimSuffix(said, "\n")) {
		t.Errorf("it says\n%swant\n%s", said, want)
	}
	if want := regexp.MustCompile(quoted.Replace(i.stdout)); !want.MatchString(stdout) {
		t.Errorf("it prints\n%swant\n%s", stdout, want)
	}
	if strings.Contains(stderr+stdout, "panic") || strings.Contains(stderr, "goroutine ") {
		t.Errorf("it breaks down:\n%s", stderr)
	}
}

// logLines are the lines of the log.
var logLines = regexp.MustCompile(`(?m)^time=.*\n`)

func TestBadInputIsAClearError(t *testing.T) {
	noHome := []string{"HOME=", "USERPROFILE="}
	for _, test := range []invocation{
		{
			name: "unknown command", args: []string{"once-more"}, code: 2,
			stderr: `ccwatchd: expected command but got "once-more"; try --help`,
		},
		{
			name: "argument too many", args: []string{"run", "fast"}, code: 2,
			stderr: `ccwatchd: unexpected argument "fast"; try --help`,
		},
		{
			name: "two kinds of services", args: []string{"service", "status", "--user", "--system"}, code: 2,
			stderr: `ccwatchd: --user and --system are mutually exclusive; try --help`,
		},
		{
			name: "no service command", args: []string{"service"}, code: 2,
			stderr: `ccwatchd: must select a subcommand of 'service'; try --help`,
		},
		{
			name: "unknown flag", args: []string{"--web.port=80"}, code: 2,
			stderr: `ccwatchd: unknown long flag '--web.port'; try --help`,
		},
		{
			name: "flag without its value", args: []string{"--state.dir"}, code: 2,
			stderr: `ccwatchd: expected argument for flag '--state.dir'; try --help`,
		},
		{
			name: "level that is none", args: []string{"--log.level=loud"}, code: 2,
			stderr: `ccwatchd: .*log level loud; try --help`,
		},
		{
			name: "no home, and nothing else", args: []string{"--state.dir=<state>"}, env: noHome, code: 1,
			stderr: `ccwatchd: no home directory is known: set (HOME|USERPROFILE) or CLAUDE_CONFIG_DIR, or name the sources in a configuration file`,
		},
		{
			name: "no home for the state", env: append([]string{"CLAUDE_CONFIG_DIR=<dir>"}, noHome...), code: 1,
			stderr: `ccwatchd: no home directory and no \$XDG_STATE_HOME: say with --state.dir where to keep the state`,
		},
		{
			name: "no home for once", args: []string{"once"}, env: noHome, code: 1,
			stderr: `ccwatchd: no home directory is known: .*`,
		},
		{
			name: "no home, but a directory to read", args: []string{"once", "<dir>"}, env: noHome, code: 0,
			stdout: `ccwatchd_build_info\{`,
		},
		{
			name: "file in the place of the state directory", args: []string{"--state.dir=<dir>/state"}, files: map[string]string{"state": ""}, code: 1,
			stderr: `ccwatchd: .*<dir>.state: .*; --state.dir takes another directory`,
		},
		{
			name: "file above the state directory", args: []string{"--state.dir=<dir>/file/state"}, files: map[string]string{"file": ""}, code: 1,
			stderr: `ccwatchd: create state directory: .*<dir>.file.*: .*; --state.dir takes another directory`,
		},
		{
			name: "directory in the place of the state", args: []string{"--state.dir=<dir>"}, files: map[string]string{"pid/in": ""}, code: 1,
			stderr: `ccwatchd: write to state directory: .*<dir>.pid: .*; --state.dir takes another directory`,
		},
		{
			name: "address that is none", args: []string{"--state.dir=<state>", "--web.listen-address=here"}, code: 1,
			stderr: `ccwatchd: serve HTTP: listen tcp: address here: missing port in address; --web.listen-address takes another address`,
		},
		{
			name: "no configuration of the web", args: []string{"--state.dir=<state>", "--web.listen-address=127.0.0.1:0", "--web.config.file=<dir>/web.yml"}, code: 1,
			stderr: `ccwatchd: check <dir>.web.yml: open <dir>.web.yml: .*`,
		},
		{
			name: "unknown key of the web", args: []string{"--config.check", "--web.config.file=<dir>/web.yml"}, code: 1,
			files:  map[string]string{"web.yml": "basic_auth: {}\n"},
			stderr: `ccwatchd: check <dir>.web.yml: yaml: unmarshal errors:\nccwatchd:   line 1: field basic_auth not found .*`,
		},
		{
			name: "password that is not hashed", args: []string{"--state.dir=<state>", "--web.config.file=<dir>/web.yml"}, code: 1,
			files:  map[string]string{"web.yml": "basic_auth_users: {ann: secret}\n"},
			stderr: `ccwatchd: check <dir>.web.yml: crypto/bcrypt: .*`,
		},
		{
			name: "certificate without its key", args: []string{"--config.check", "--web.config.file=<dir>/web.yml"}, code: 1,
			files:  map[string]string{"web.yml": "tls_server_config: {cert_file: web.crt}\n"},
			stderr: `ccwatchd: check <dir>.web.yml: missing one of key or key_file`,
		},
		{
			name: "both configurations wrong", args: []string{"--config.check", "--config.file=<dir>/c.yml", "--web.config.file=<dir>/web.yml"}, code: 1,
			files:  map[string]string{"c.yml": "limits: {watches: -1}\n"},
			stderr: `ccwatchd: <dir>.c.yml:1: limits.watches: .*\nccwatchd: check <dir>.web.yml: open .*`,
		},
		{
			name: "number that is none", args: []string{"--web.max-requests=-1"}, code: 2,
			stderr: `ccwatchd: --web.max-requests: "-1" is not a number from 0 up; try --help`,
		},
		{
			name: "another number that is none", args: []string{"demo", "--people=3", "--speed=fast"}, code: 2,
			stderr: `ccwatchd: --speed: "fast" is not a number from 0 up; try --help`,
		},
		{
			name: "demo without people", args: []string{"demo", "--people=0"}, code: 1,
			stderr: `ccwatchd: there is no such team: it has from 1 to 100 people, and not 0`,
		},
		{
			name: "demo that stands still", args: []string{"demo", "--speed=0"}, code: 1,
			stderr: `ccwatchd: there is no such team: it works from 0.1 to 1000 times as fast as people do, and not 0 times`,
		},
		{
			name: "no configuration", args: []string{"--config.file=<dir>/none.yml"}, code: 1,
			stderr: `ccwatchd: read configuration: open <dir>.none.yml: .*`,
		},
		{
			name: "unknown key", args: []string{"--config.file=<dir>/c.yml"}, code: 1,
			files:  map[string]string{"c.yml": "intervals:\n  scan: 1m\n  skan: 1m\n"},
			stderr: `ccwatchd: <dir>.c.yml:3: unknown key "skan" in intervals, expected one of .*scan, .*`,
		},
		{
			name: "several mistakes", args: []string{"--config.file=<dir>/c.yml", "--config.check"}, code: 1,
			files:  map[string]string{"c.yml": "intervals: {message_timeout: 0s}\nlimits: {watches: -1}\n"},
			stderr: `ccwatchd: <dir>.c.yml:1: intervals.message_timeout: .*\nccwatchd: <dir>.c.yml:2: limits.watches: -1 is not between 0 and 1048576`,
		},
		{
			name: "bad regexp", args: []string{"--config.file=<dir>/c.yml", "once", "<dir>"}, code: 1,
			files:  map[string]string{"c.yml": "labels:\n  project:\n    map:\n      - {match: '(', name: x}\n"},
			stderr: "ccwatchd: <dir>.c.yml:4: labels.project.map.0..match: compile pattern: error parsing regexp: missing closing \\): `\\(`",
		},
		{
			name: "dashboards in the place of a file", args: []string{"dashboards", "--out=<dir>/file"}, files: map[string]string{"file": ""}, code: 1,
			stderr: `ccwatchd: (look what is there|write the dashboards): .*<dir>.file.*: .*`,
		},
		{
			name: "dashboards and an argument", args: []string{"dashboards", "here"}, code: 2,
			stderr: `ccwatchd: unexpected argument "here"; try --help`,
		},
		{
			name: "once on nothing", args: []string{"once", "<dir>/none", "<dir>/no"}, code: 1,
			stderr: `ccwatchd: .*<dir>.none: .*\nccwatchd: .*<dir>.no: .*`,
		},
		{
			name: "once on a file", args: []string{"once", "<dir>/file"}, files: map[string]string{"file": ""}, code: 1,
			stderr: `ccwatchd: <dir>.file: not a directory`,
		},
		{
			name: "once on a directory and one in it", args: []string{"once", "<home>", "<home>/.claude"}, code: 1,
			stderr: `ccwatchd: .*<home>.\.claude.projects is inside <home>.*: its files would be read twice`,
		},
	} {
		t.Run(test.name, func(t *testing.T) { test.check(t) })
	}
}

func TestInformation(t *testing.T) {
	for _, test := range []invocation{
		{name: "version", args: []string{"--version"}, stdout: `^ccwatchd, version \S+`},
		{name: "help", args: []string{"--help"}, stdout: `(?s)^usage: ccwatchd \[.*Examples:.*ccwatchd once ~/\.claude.*--config\.check.*--state\.dir=DIR.*--web\.listen-address=localhost:10229.*Commands:.*run\n.*once \[.dir>.*\nhealthcheck .*\nservice install\n.*\nservice status\n[^:]*$`},
		{name: "help of a command", args: []string{"help", "once"}, stdout: `(?s)^usage: ccwatchd once .*\[.dir>\]`},
		{
			name: "good configuration", args: []string{"--config.file=<dir>/c.yml", "--config.check"},
			files:  map[string]string{"c.yml": "sources:\n  - path: \"<home>/a\"\n    labels: {user: ann, host: x}\n"},
			stdout: "^The configuration is good. It reads what is below:\n  <home>/a host=\"x\" user=\"ann\"\n$",
		},
		{
			name: "no configuration", args: []string{"--config.check"}, env: []string{"CLAUDE_CONFIG_DIR=<home>/a, <home>/b"},
			stdout: "^The configuration is good. It reads what is below:\n  <home>/a/projects\n  <home>/b/projects\n$",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				test.stdout = strings.ReplaceAll(test.stdout, "/", `[/\\]`)
			}
			test.check(t)
		})
	}
}

func TestPortTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close() //nolint:errcheck // nobody speaks to it
	i := invocation{
		args: []string{"--state.dir=<state>", "--web.listen-address=" + taken.Addr().String()}, code: 1,
		stderr: `ccwatchd: serve HTTP: listen tcp ` + regexp.QuoteMeta(taken.Addr().String()) + `: .*; --web.listen-address takes another address`,
	}
	i.check(t)
}

func TestStateInUse(t *testing.T) {
	p := newPlace(t)
	d := p.start(t)
	_, stderr, code := p.run(t, "--state.dir="+p.state)
	want := "ccwatchd: state directory " + p.state + " is in use by the process with pid " +
		strconv.Itoa(d.cmd.Process.Pid) + "; --state.dir takes another directory\n"
	if said := logLines.ReplaceAllString(stderr, ""); code != 1 || said != want {
		t.Errorf("code %d, and it says\n%swant\n%s", code, said, want)
	}
	d.kill()
	p.start(t) // the lock of a process that was killed is none
}

// What only looks like a transcript is passed over, and what cannot be read is
// told and does not keep the rest from being read.
func TestOnceAmongOddities(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has neither")
	}
	p := newPlace(t)
	project := filepath.Join(p.projects(), "-home-dev-app")
	copyTree(t, p.projects(), readTree(t, filepath.Join(fixtureDirs(t)[0], "projects")))
	want := p.once(t, p.projects())
	if !strings.Contains(want, "\nclaude_requests_total{") {
		t.Fatalf("no request is counted:\n%s", want)
	}
	makeDir(t, filepath.Join(project, "dir.jsonl"))
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	s := script{cwd: "/home/dev/app", session: uuid(1)}
	writeFile(t, outside, s.prompt("not to be counted"))
	writeFile(t, filepath.Join(project, uuid(2)+".jsonl.backup"), s.prompt("nor this"))
	if err := os.Symlink(outside, filepath.Join(project, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mkfifo", filepath.Join(project, "fifo.jsonl")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := p.once(t, p.projects()); got != want {
		t.Errorf("oddities count:\n%s\nand without them:\n%s", got, want)
	}
	if os.Getuid() == 0 {
		return // nothing is unreadable to root
	}
	secret := filepath.Join(project, uuid(3)+".jsonl")
	writeFile(t, secret, s.prompt("nobody may read this"))
	if err := os.Chmod(secret, 0); err != nil {
		t.Fatal(err)
	}
	got, stderr, code := p.run(t, "once", p.projects())
	if code != 1 || got != want || !strings.Contains(stderr, "ccwatchd: files or directories that could not be read: 1\n") {
		t.Errorf("code %d, %s\n%s", code, stderr, got)
	}
}

// An unreadable root is no reason to end: it may become readable.
func TestUnreadableRoot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("makes a loop of symbolic links")
	}
	p := newPlace(t)
	loop := filepath.Join(p.home, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	p.configure(t, "sources: [{path: "+strconv.Quote(loop)+"}]\nintervals: {scan: 1s, poll: 10ms}\n")
	d := p.start(t).ready()
	eventually(t, "the root is told to be unreadable", func() bool { return d.sample("ccwatchd_unreadable_directories") == 1 })
	if !strings.Contains(d.log.String(), syscall.ELOOP.Error()) {
		t.Errorf("the log does not say why:\n%s", d.log.String())
	}
	if err := os.Remove(loop); err != nil {
		t.Fatal(err)
	}
	s := script{cwd: "/home/dev/app", session: uuid(1)}
	writeFile(t, filepath.Join(loop, "p", s.session+".jsonl"), s.prompt("hello"))
	eventually(t, "the session is counted", func() bool { return d.has(`claude_prompts_total{kind="text",project="app"} 1`) })
	if n := d.sample("ccwatchd_unreadable_directories"); n != 0 {
		t.Errorf("%v directories are unreadable", n)
	}
}

package main

import (
	"net"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// Invalid arguments are reported before anything is read or written: they are the only
// error even with a missing configuration file and an impossible state directory.
func TestInvalidArguments(t *testing.T) {
	for args, stderr := range map[string]string{
		"once-more":                      `expected command but got "once-more"`,
		"stauts":                         `expected command but got "stauts" \(did you mean "status"\?\)`,
		"dash":                           `expected command but got "dash" \(did you mean "dashboards"\?\)`,
		"instal":                         `expected command but got "instal" \(did you mean "service install"\?\)`,
		"run fast":                       `unexpected argument "fast"`,
		"dashboards here":                `unexpected argument "here"`,
		"service":                        `must select a subcommand of 'service'`,
		"service status --user --system": `--user and --system are mutually exclusive`,
		"--web.port=80":                  `unknown long flag '--web.port' \(did you mean --web.listen-address=localhost:PORT\?\)`,
		"--port=80":                      `unknown long flag '--port' \(did you mean --web.listen-address=localhost:PORT\?\)`,
		"report --timezone=UTC":          `unknown long flag '--timezone' \(did you mean --tz=ZONE\?\)`,
		"report --nonsense":              `unknown long flag '--nonsense'`,
		"--state.dir":                    `expected argument for flag '--state.dir'`,
		"--log.level=loud":               `.*log level loud`,
		"--log.format=xml":               `.*xml.*`,
		"--web.listen-address=here":      `--web.listen-address: address here: missing port in address`,
		"--web.listen-address=:99999":    `--web.listen-address: .*99999.*`,
		"--web.listen-address=:1 --web.listen-address=localhost:no-such-port": `--web.listen-address: .*no-such-port.*`,
		"--web.allowed-host=http://proxy":                                     `--web.allowed-host: "http://proxy": expected a host name without a scheme or a port`,
		"--web.allowed-host=proxy:80":                                         `--web.allowed-host: "proxy:80": expected a host name without a scheme or a port`,
		"--web.max-requests=-1":                                               `--web.max-requests: "-1" is not a valid number`,
	} {
		checkAll(t, sandbox.run, []invocation{{args: "--config.file=<dir>/none --state.dir=<home>/.claude/projects/file/state " + args, code: 2, stderr: stderr + `; try --help`}})
	}
}

// A badInput is a command line that fails with exit code 1.
type badInput struct{ args, file, content, stderr string }

func TestBadInputIsAClearError(t *testing.T) {
	noHome := []string{"HOME=", "USERPROFILE="}
	checkAll(t, sandbox.runProcess, []invocation{
		{
			args: "--state.dir=<state>", env: noHome, code: 1,
			stderr: `no home directory is known: set (HOME|USERPROFILE) or CLAUDE_CONFIG_DIR, or name the sources in a configuration file`,
		},
		{
			args: "run", env: append([]string{"CLAUDE_CONFIG_DIR=<dir>"}, noHome...), code: 1,
			stderr: `no home directory and no \$XDG_STATE_HOME: set --state.dir`,
		},
		{args: "once", env: noHome, code: 1, stderr: `no home directory is known: .*`},
		{args: "once <dir>", env: noHome, code: 0, stderr: "no sessions found in <dir>", stdout: `ccwatchd_build_info\{`},
	})
	const notSession = `not a session file: expected \*\.jsonl, \*\.jsonl\.gz or \*\.jsonl\.zst, except audit\.jsonl, history\.jsonl and journal\.jsonl`
	for _, bad := range []badInput{
		{"--state.dir=<dir>/state", "state", "", `.*<dir>.state: .*; use another directory with --state.dir`},
		{"--state.dir=<dir>/file/state", "file", "",
			`create state directory: .*<dir>.file.*: .*; use another directory with --state.dir`},
		{"--state.dir=<dir>", "pid/in", "",
			`write to state directory: .*<dir>.pid: .*; use another directory with --state.dir`},
		{"--state.dir=<dir>/web.yml --web.config.file=<dir>/none.yml", "web.yml", "",
			`check <dir>.none.yml: open <dir>.none.yml: .*`},
		{"--config.check --web.config.file=<dir>/web.yml", "web.yml", "basic_auth: {}\n",
			`check <dir>.web.yml: yaml: unmarshal errors:\n  line 1: field basic_auth not found .*`},
		{"--state.dir=<state> --web.config.file=<dir>/web.yml", "web.yml", "basic_auth_users: {ann: secret}\n",
			`check <dir>.web.yml: crypto/bcrypt: .*`},
		{"--web.config.file=<dir>/web.yml --config.check", "web.yml", "tls_server_config: {cert_file: web.crt}\n",
			`check <dir>.web.yml: missing one of key or key_file`},
		{"--config.check --config.file=<dir>/c.yml --web.config.file=<dir>/web.yml", "c.yml", "limits: {watches: -1}\n",
			`<dir>.c.yml:1: limits.watches: .*\ncheck <dir>.web.yml: open .*`},
		{"--config.file=<dir>/none.yml", "", "", `read configuration: open <dir>.none.yml: .*`},
		{"--config.file=<dir>/c.yml", "c.yml", "intervals:\n  scan: 1m\n  skan: 1m\n",
			`<dir>.c.yml:3: unknown key "skan" in intervals \(did you mean "scan"\?\), expected one of .*scan, .*`},
		{"--config.file=<dir>/c.yml --config.check", "c.yml", "intervals: {message_timeout: 0s}\nlimits: {watches: -1}\n",
			`<dir>.c.yml:1: intervals.message_timeout: .*\n<dir>.c.yml:2: limits.watches: -1 is not between 0 and 1048576`},
		{"--config.file=<dir>/c.yml once <dir>", "c.yml", "labels:\n  project:\n    map:\n      - {match: '(', name: x}\n",
			"<dir>.c.yml:4: labels.project.map.0..match: compile pattern: error parsing regexp: missing closing \\): `\\(`"},
		{"dashboards --out=<dir>/file", "file", "", `(read existing|write) dashboards: .*<dir>.file.*: .*`},
		{"once <dir>/none <dir>/no.jsonl", "", "", `.*<dir>.none: .*\n.*<dir>.no.jsonl: .*`},
		{"once <dir>/file <dir>/history.jsonl", "file", "",
			`<dir>.file: ` + notSession + `\n.*history.jsonl: .*`},
		{"once <dir>/history.jsonl", "history.jsonl", "",
			`<dir>.history.jsonl: ` + notSession},
		{"once <home>/.. <home>/.claude", "", "",
			`.*<home>.\.claude.projects is inside .*: its files would be read twice`},
	} {
		checkAll(t, sandbox.run, []invocation{{args: bad.args, file: bad.file, content: bad.content, code: 1, stderr: bad.stderr}})
	}
}

func TestInformation(t *testing.T) {
	checkAll(t, sandbox.run, []invocation{
		{args: "--version", stdout: `^ccwatchd, version \S+ \(branch: \S*, revision: \S+\)\n(  [a-z ]+: +\S*\n)*  go version: +go\S+\n  platform: +\S+/\S+\n  tags: +\S+\n$`},
		{args: "version", stdout: `^ccwatchd, version \S+ \(branch: `},
		{args: "--help", stdout: `(?s)^usage: ccwatchd \[[^:]*\n\n  ccwatchd  .*/metrics\n  ccwatchd top .*\n  ccwatchd report .*\n  ccwatchd explain .*\n  ccwatchd status .*\n  ccwatchd service install .*\n  ccwatchd dashboards [^\n]*\n\nMore:\n.*ccwatchd once ~/\.claude.*--config\.check.*Flags:.*--state\.dir=DIR.*--web\.listen-address=localhost:10229.*`},
		{args: "help once", stdout: `(?s)^usage: ccwatchd once .*\[.path>\]`},
		{
			args: "--config.file=<dir>/c.yml --config.check",
			file: "c.yml", content: "sources:\n  - path: \"<home>/.claude/projects\"\n    labels: {user: ann, host: x}\n",
			stdout: "^The configuration is valid. Directories to read:\n  <home>/.claude/projects host=\"x\" user=\"ann\"\n$",
		},
		{
			args: "--config.check", env: []string{"CLAUDE_CONFIG_DIR=<home>/a, <home>/b"},
			stdout: "^The configuration is valid. Directories to read:\n  <home>/a/projects\n  <home>/b/projects\n$",
		},
	})
}

// Both --config.check and a daemon log probable mistakes.
func TestConfigurationWarnings(t *testing.T) {
	p := newSandbox(t)
	p.configure(t, "sources: [{path: "+p.home+"/team/*/.claude/projects}]\n")
	const want = `ccwatchd.yml:1: sources[0].path: no directory matches the pattern`
	stdout, stderr, code := p.run(t, "--config.check", "--config.file="+p.config)
	if code != 0 || !strings.HasPrefix(stdout, "The configuration is valid.") || !strings.HasPrefix(stderr, "ccwatchd: the configuration may have a mistake: ") || !strings.Contains(stderr, want) {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
	if d := p.start(t); !strings.Contains(d.log.String(), want) {
		t.Errorf("got %s", d.log.String())
	}
}

// The help of a command lists its own flags, and the application's flags that it uses.
func TestHelpListsUsedFlags(t *testing.T) {
	const (
		general = "help version"
		web     = " web.allowed-host web.config.file web.enable-lifecycle web.listen-address web.max-requests"
		daemon  = " config.check config.file log.format log.level state.dir" + web
		service = " system user"
	)
	want := map[string]string{
		"run":               daemon + " state.read-again",
		"once":              " config.file log.format log.level",
		"status":            " json state.dir url web.listen-address",
		"top":               " config.file interval json limit log.format log.level once project since state.dir url web.listen-address",
		"report":            " by config.file csv json log.format log.level model month-start over project since state.dir tz until url web.listen-address week-start where",
		"explain":           " config.file json log.format log.level model project since state.dir tz until url web.listen-address",
		"backfill":          " config.file dry-run force idle label log.format log.level marker since state.dir step to until url web.listen-address",
		"healthcheck":       " ready state.dir url web.listen-address",
		"dashboards":        " force out server",
		"prices":            " config.file",
		"statusline":        " state.dir url web.listen-address",
		"service install":   daemon + service,
		"service uninstall": " purge" + service,
		"service start":     service,
		"service stop":      service,
		"service restart":   service,
		"service status":    service,
	}
	commands := newCommand(func(string) string { return "" }).app.Model().FlattenedCommands()
	p := newSandbox(t)
	flag := regexp.MustCompile(`(?m)^ {2}(?:-h, | {4})--(?:\[no-\])?([a-z.-]*[a-z])`)
	for _, command := range slices.DeleteFunc(commands, func(c *kingpin.CmdModel) bool { return c.FullCommand == "help" }) {
		stdout, _, code := p.run(t, append([]string{"help"}, strings.Fields(command.FullCommand)...)...)
		var flags []string
		for _, m := range flag.FindAllStringSubmatch(stdout, -1) {
			if m[1] != "web.systemd-socket" { // Linux only
				flags = append(flags, m[1])
			}
		}
		slices.Sort(flags)
		expected := strings.Fields(general + want[command.FullCommand])
		slices.Sort(expected)
		if code != 0 || !slices.Equal(flags, expected) {
			t.Errorf("%s: code %d, got flags %q, want %q", command.FullCommand, code, flags, expected)
		}
	}
}

// The help names every command, and fits into a manual page of 80 columns.
func TestHelpNamesEveryCommand(t *testing.T) {
	for _, command := range newCommand(func(string) string { return "" }).app.Model().Commands {
		if !command.Hidden && !strings.Contains(help, "\n  ccwatchd "+command.Name+" ") {
			t.Errorf("the help does not name %s", command.Name)
		}
	}
	for line := range strings.SplitSeq(help, "\n") {
		if strings.HasPrefix(line, "  ") && len(line) > 72 {
			t.Errorf("a line of %d characters, want at most 72: %s", len(line), line)
		}
	}
}

func TestPortTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close() //nolint:errcheck // no connections
	address := taken.Addr().String()
	checkAll(t, sandbox.runProcess, []invocation{{
		args: "--state.dir=<state> --web.listen-address=" + address, code: 1,
		stderr: `serve HTTP: listen tcp ` + regexp.QuoteMeta(address) + `: .*; use another address with --web.listen-address`,
	}})
}

func TestStateInUse(t *testing.T) {
	p := newSandbox(t)
	d := p.start(t)
	polltest.Eventually(t, "the daemon records its address", func() bool { _, ok := checkpoint.ReadAddress(p.state); return ok })
	_, stderr, code := p.runProcess(t, "--state.dir="+p.state)
	want := "ccwatchd: it already runs: http://" + d.address + "/ (state directory " + p.state + " is in use by the process with pid " +
		strconv.Itoa(d.cmd.Process.Pid) + "); use another directory with --state.dir to run a second one\n"
	if got := logLines.ReplaceAllString(stderr, ""); code != 1 || got != want {
		t.Errorf("code %d, got stderr\n%swant\n%s", code, got, want)
	}
	other := newSandbox(t)
	_, stderr, code = other.runProcess(t, "--state.dir="+other.state, "--web.listen-address="+d.address)
	want = "ccwatchd: it already runs: http://" + d.address + "/ (pid " + strconv.Itoa(d.cmd.Process.Pid) + " of the user " + status.CurrentUser() +
		"); use another address with --web.listen-address and another --state.dir to run a second one\n"
	if got := logLines.ReplaceAllString(stderr, ""); code != 1 || got != want {
		t.Errorf("another state: code %d, got stderr\n%swant\n%s", code, got, want)
	}
	d.kill()
	p.start(t) // a killed process releases its lock
}

// A daemon with an unreadable source runs, reports the source in the log, on the page
// and in the status, and reads it once it is readable.
func TestUnreadableRoot(t *testing.T) {
	skipOnWindows(t)
	p := newSandbox(t)
	loop := filepath.Join(p.home, "loop")
	symlink(t, loop, loop)
	p.configure(t, "sources: [{path: "+strconv.Quote(loop)+"}]\nintervals: {scan: 1s, poll: 10ms}\n")
	d := p.start(t).ready()
	polltest.Eventually(t, "the root is unreadable", func() bool { return d.sample("ccwatchd_unreadable_directories") == 1 })
	logged := loop
	if strings.Contains(loop, " ") {
		logged = strconv.Quote(loop)
	}
	d.waitForLog("root=" + logged + ` directories=1 first=` + logged + ` err="` + syscall.ELOOP.Error() + `"`)
	problem := "1 file or directory in " + loop + " cannot be read"
	if got := d.page("/"); !strings.Contains(got, problem) || strings.Contains(got, `"state good"`) {
		t.Errorf("the page lacks %q, or is green:\n%s", problem, difftest.Head(got))
	}
	stdout, stderr, code := p.run(t, "status", "--url=http://"+d.address)
	if code != 1 || !strings.HasPrefix(stdout, "state         ready, with problems\nproblem       "+problem) {
		t.Errorf("status: code %d, %s%s", code, stdout, stderr)
	}
	removeFile(t, loop)
	s := script{cwd: "/home/dev/app", session: uuid(1)}
	writeFile(t, filepath.Join(loop, "p", s.session+".jsonl"), s.prompt("hello"))
	polltest.Eventually(t, "the session is counted", func() bool { return d.has(`claude_prompts_total{kind="text",project="app"} 1`) })
	if n := d.sample("ccwatchd_unreadable_directories"); n != 0 {
		t.Errorf("got %v unreadable directories, want 0", n)
	}
	if got := d.page("/"); !strings.Contains(got, `"state good"`) {
		t.Errorf("the page is not green:\n%s", difftest.Head(got))
	}
}

// parsed returns a command with parsed arguments and without an environment.
func parsed(t *testing.T, args ...string) *command {
	t.Helper()
	c := newCommand(func(string) string { return "" })
	if _, err := c.app.Parse(args); err != nil {
		t.Fatal(err)
	}
	return c
}

// The default of --state.dir depends only on the given environment, not on the
// developer's own state.
func TestDefaultStateDir(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	inHome := filepath.Join(home, ".local", "state", "ccwatchd")
	switch runtime.GOOS {
	case "darwin":
		inHome = filepath.Join(home, "Library", "Application Support", "ccwatchd")
	case "windows":
		inHome = filepath.Join(other, "ccwatchd")
	}
	p := sandbox{home: home}
	for _, tt := range []struct {
		env  []string
		want string
	}{
		{[]string{"LocalAppData=" + other}, inHome},
		{[]string{"LocalAppData=" + other, "XDG_STATE_HOME=relative"}, inHome},
		{[]string{"XDG_STATE_HOME=" + other}, filepath.Join(other, "ccwatchd")},
		{[]string{"XDG_STATE_HOME=" + home, "STATE_DIRECTORY=" + other + string(filepath.ListSeparator) + home}, other},
	} {
		if got := defaultStateDir(p.with(tt.env...).getenv); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.env, got, tt.want)
		}
	}
	if got := defaultStateDir(sandbox{}.getenv); got != "" {
		t.Errorf("without a home directory: got %s", got)
	}
}

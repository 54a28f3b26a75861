package main

import (
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// A runner runs a command: sandbox.run or, for daemons, sandbox.runProcess.
type runner func(p sandbox, t testing.TB, args ...string) (stdout, stderr string, code int)

// An invocation is a command line and its expected result. <home>, <state> and <dir>
// are replaced with directories of the test.
type invocation struct {
	args    string   // separated by spaces; also the name of the test
	env     []string // additional variables
	file    string   // to create in <dir>, unless empty
	content string
	code    int
	stderr  string // a regular expression for all errors, see errorsIn
	stdout  string // a regular expression
}

var logLines = regexp.MustCompile(`(?m)^time=.*\n`)

func (i *invocation) check(t *testing.T, run runner) {
	t.Helper()
	p := newSandbox(t)
	dir := t.TempDir()
	raw := strings.NewReplacer("<home>", p.home, "<state>", p.state, "<dir>", dir)
	quoted := strings.NewReplacer("<home>", regexp.QuoteMeta(p.home), "<state>", regexp.QuoteMeta(p.state), "<dir>", regexp.QuoteMeta(dir))
	if i.file != "" {
		writeFile(t, filepath.Join(dir, i.file), raw.Replace(i.content))
	}
	var env []string
	for _, v := range i.env {
		env = append(env, raw.Replace(v))
	}
	stdout, stderr, code := run(p.with(env...), t, arguments(i.args, raw)...)
	if code != i.code {
		t.Errorf("exit code %d, want %d", code, i.code)
	}
	if got, want := errorsIn(t, stderr), regexp.MustCompile(`^`+quoted.Replace(i.stderr)+`$`); !want.MatchString(got) {
		t.Errorf("got stderr\n%s\nwant\n%s", got, want)
	}
	if want := regexp.MustCompile(quoted.Replace(i.stdout)); !want.MatchString(stdout) {
		t.Errorf("got stdout\n%swant\n%s", stdout, want)
	}
	if strings.Contains(stderr+stdout, "panic") || strings.Contains(stderr, "goroutine ") {
		t.Errorf("the program panics:\n%s", stderr)
	}
}

// arguments splits a command line at spaces and replaces the names of directories in
// each argument: a directory may have spaces.
func arguments(line string, dirs *strings.Replacer) []string {
	args := strings.Fields(line)
	for i, arg := range args {
		args[i] = dirs.Replace(arg)
	}
	return args
}

// programPrefix begins every line of an error.
const programPrefix = "ccwatchd: "

// errorsIn returns the lines of stderr except log lines. All of them must begin with
// programPrefix, which it removes.
func errorsIn(t *testing.T, stderr string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(logLines.ReplaceAllString(stderr, "")) {
		text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), programPrefix)
		if !ok {
			t.Errorf("%q in stderr does not begin with %q", line, programPrefix)
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// checkAll runs subtests for invocations.
func checkAll(t *testing.T, run runner, all []invocation) {
	t.Helper()
	for _, i := range all {
		t.Run(i.args+" "+i.file, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				i.stdout = strings.ReplaceAll(i.stdout, "/", `[/\\]`)
			}
			i.check(t, run)
		})
	}
}

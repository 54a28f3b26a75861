package main

import (
	"strings"
	"testing"
)

// A report with --over is printed only above the budget, and then exits with 1.
func TestReportOverBudget(t *testing.T) {
	p := reported(t) // $0.20 in all
	for _, test := range []struct {
		args           string
		code           int
		prints         bool
		stderr, format string
	}{
		{"--over=0.01", 1, true, "ccwatchd: the cost is over the budget of $0.01: $0.20\n", "Claude Code usage"},
		{"--over=0.01 --json", 1, true, "ccwatchd: the cost is over the budget of $0.01: $0.20\n", "{"},
		{"--over=0.01 --by=session --json", 1, true, "ccwatchd: the cost is over the budget of $0.01: ", "{"},
		{"--over=0", 1, true, "ccwatchd: the cost is over the budget of $0", "Claude Code usage"},
		{"--over=50", 0, false, "", ""},
		{"--over=50 --by=session", 0, false, "", ""},
		{"--over=50 --project=web --by=tool", 2, false, "ccwatchd: --over: this report has no cost\n", ""},
		{"--over=NaN", 2, false, "ccwatchd: --over: expected a number of US dollars\n", ""},
		{"--over=-1", 2, false, "ccwatchd: --over: expected a number of US dollars\n", ""},
		{"--over=cheap", 2, false, "ccwatchd: --over: \"cheap\" is not a valid number; try --help\n", ""},
	} {
		args := append([]string{"report", "--since=2026-03", noDaemon}, strings.Fields(test.args)...)
		stdout, stderr, code := p.run(t, args...)
		stderr = strings.ReplaceAll(stderr, "ccwatchd: no daemon is running, reading the session files\n", "")
		if code != test.code || (stdout != "") != test.prints || !strings.HasPrefix(stderr, test.stderr) || (stderr == "") != (test.stderr == "") || !strings.HasPrefix(stdout, test.format) {
			t.Errorf("%s: code %d, stdout %.100q, stderr %q", test.args, code, stdout, stderr)
		}
	}
}

package main

import (
	"fmt"
	"path/filepath"
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

// answers returns a line for each session with a response of a model, in US dollars by
// the price of claude-opus-5.
func answers(model string, first, n, cents int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"assistant","sessionId":"s%d","cwd":"/home/dev/web","uuid":"u%[1]d","timestamp":"2026-03-01T%02d:%02d:00Z",`+
			`"message":{"id":"msg_%[1]d","model":"%[4]s","stop_reason":"end_turn","usage":{"output_tokens":%[5]d}}}`+"\n", first+i, (first+i)/60, (first+i)%60, model, cents*400)
	}
	return b.String()
}

// A report of very many sessions has the most expensive ones, states the sum of the
// rest, and compares the cost of all with the budget.
func TestReportManySessions(t *testing.T) {
	p := newSandbox(t)
	writeFile(t, filepath.Join(p.projects(), "p", "a.jsonl"), answers("claude-opus-5", 0, 1, 200)+answers("claude-opus-5", 1, 1001, 10))
	args := []string{"report", "--by=session", "--since=2026-03", "--csv", noDaemon}
	stdout, stderr, code := p.run(t, args...)
	if lines := strings.Split(stdout, "\n"); code != 0 || len(lines) != 1002 || !strings.HasPrefix(lines[1], "s0,web,2026-03-01 ") {
		t.Errorf("code %d, %d lines, %.300s", code, len(lines), stdout)
	}
	if want := "ccwatchd: the report leaves out the cheapest sessions (sessions 2, tokens 8,000, cost $0.20)\n"; !strings.HasSuffix(stderr, want) {
		t.Errorf("got %q, want %q", stderr, want)
	}
	for budget, want := range map[string]int{"102": 1, "102.2": 0} { // the cost is $102.10
		if _, stderr, code := p.run(t, append(args, "--over="+budget)...); code != want {
			t.Errorf("--over=%s: code %d, %s", budget, code, stderr)
		}
	}
}

// Tokens without a price are not in the cost that is compared, which a message says. By
// project it is not known which project used these tokens.
func TestBudgetWithoutPrice(t *testing.T) {
	p := newSandbox(t)
	writeFile(t, filepath.Join(p.projects(), "p", "a.jsonl"), answers("claude-opus-5", 0, 1, 200)+answers("claude-unknown-9", 1, 1, 10))
	for by, verb := range map[string]string{"day": "lacks", "project": "may lack", "model --project=web": "may lack", "model": "lacks", "session": "lacks"} {
		for budget, want := range map[string]int{"1.9": 1, "2": 0} {
			args := append([]string{"report", "--since=2026-03", "--over=" + budget, noDaemon}, strings.Fields("--by="+by)...)
			stdout, stderr, code := p.run(t, args...)
			if warns := strings.Contains(stderr, "ccwatchd: the cost for --over "+verb+" tokens without a price (tokens 4,000)\n"); code != want || (stdout == "") != (code == 0) || warns != (code == 0) {
				t.Errorf("--over=%s --by=%s: code %d, %s", budget, by, code, stderr)
			}
		}
	}
}

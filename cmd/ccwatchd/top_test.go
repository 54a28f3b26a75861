package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/usage/api"
)

// The table and the JSON are the same from a daemon and from the session files.
func TestTopOnce(t *testing.T) {
	p := newSandbox(t)
	s := p.newSession(t, "web")
	appendFile(t, s.path, s.prompt("go")+s.call("m1", "Bash"))
	d := p.start(t).ready()
	const nowhere = "127.0.0.1:1" // nothing listens
	run := func(address string, args ...string) string {
		t.Helper()
		all := append([]string{"--config.file=" + p.config, "--web.listen-address=" + address, "top"}, args...)
		stdout, stderr, code := p.run(t, all...)
		if code != 0 || strings.Contains(stderr, "reading the session files") != (address == nowhere) {
			t.Fatalf("%q: code %d, %s", all, code, stderr)
		}
		return stdout
	}
	for _, address := range []string{d.address, nowhere} {
		table := run(address, "--once", "--since=all")
		for _, want := range []string{"ccwatchd  1 live  1 shown", "1 request\n", "● 00000001 web        opus-4-6", " $0.0"} {
			if !strings.Contains(table, want) {
				t.Errorf("%q is missing in\n%s", want, table)
			}
		}
		if strings.Contains(table, "\x1b") {
			t.Errorf("got control sequences: %q", table)
		}
		var all api.Sessions
		if err := json.Unmarshal([]byte(run(address, "--json", "--since=all")), &all); err != nil || len(all.Sessions) != 1 {
			t.Fatalf("got %+v, %v", all, err)
		}
		if got := &all.Sessions[0]; got.ID != uuid(1) || got.Requests != 1 || got.Prompts != 1 || got.ToolCalls != 1 || *got.CostUSD == 0 {
			t.Errorf("got %+v", got)
		}
		if table := run(address, "--once", "--project=other", "--since=1h", "--limit=3"); !strings.Contains(table, " 0 shown") {
			t.Errorf("got another project:\n%s", table)
		}
	}
}

// By default the sessions with requests today are listed.
func TestTopToday(t *testing.T) {
	p := newSandbox(t).atNoon()
	today := p.newSession(t, "today")
	appendFile(t, today.path, today.prompt("go"))
	old := p.newSession(t, "old")
	old.session, old.at = uuid(2), old.at.Add(-48*time.Hour)
	appendFile(t, strings.ReplaceAll(old.path, uuid(1), uuid(2)), old.prompt("go")+old.call("m2", "Bash"))
	d := p.start(t).ready()
	for args, want := range map[string]string{"": " 0 shown", "--since=all": " 1 shown", "--since=3d": " 1 shown"} {
		all := append([]string{"top", "--once", "--url=" + d.address}, strings.Fields(args)...)
		if stdout, stderr, code := p.run(t, all...); code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%q: code %d, got\n%s%s", all, code, stdout, stderr)
		}
	}
}

func TestTopArguments(t *testing.T) {
	p := newSandbox(t)
	for args, want := range map[string]struct {
		code int
		text string
	}{
		"top":                                 {2, "standard output is not a terminal: add --once or --json"},
		"top --limit=0":                       {2, `--limit: "0": expected a number from 1 to 1000`},
		"top --since=now":                     {2, `--since: "now": expected a time`},
		"top --interval=1ms":                  {2, "--interval: expected at least 100ms"},
		"top --once --url=http://127.0.0.1:1": {1, "no daemon answers at http://127.0.0.1:1: "},
		"top --json --url=http://127.0.0.1:1": {1, "no daemon answers at http://127.0.0.1:1: "},
	} {
		_, stderr, code := p.run(t, strings.Fields(args)...)
		if code != want.code || !strings.Contains(stderr, want.text) {
			t.Errorf("%s: got code %d and %q, want %d and %q", args, code, stderr, want.code, want.text)
		}
	}
}

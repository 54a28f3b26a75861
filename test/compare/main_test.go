//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A fake program logs its name and prints what the test prepared for it.
const fake = `#!/bin/sh
echo "$(basename "$0")" >> "$LOG"
case $(basename "$0") in
xargs)
	files=$(/usr/bin/tr '\0' ' ')
	[ "$files" = "$DIR/projects/a/s.jsonl $DIR/projects/b/s/subagents/agent-1.jsonl" ] || { echo "first line" >&2; echo "got files $files" >&2; exit 1; }
	case "$*" in
	"-0 jq -ncR "*) cat "$TESTDATA/jq.json";;
	esac;;
ccwatchd) [ "$*" = "once $DIR/projects" ] && cat "$TESTDATA/exposition.txt";;
ccusage) [ "$CLAUDE_CONFIG_DIR" = "$DIR" ] && cat "$TESTDATA/ccusage.json";;
esac
`

// setUp writes a corpus and fake programs, puts xargs into the PATH, and returns the
// arguments to compare them.
func setUp(t *testing.T) (dir string, args []string) {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("LOG", filepath.Join(bin, "log"))
	t.Setenv("DIR", dir)
	t.Setenv("TESTDATA", testdata)
	for _, name := range []string{"xargs", "ccwatchd", "ccusage"} {
		write(t, filepath.Join(bin, name), fake)
	}
	write(t, filepath.Join(dir, "projects/a/s.jsonl"), "one\ntwo\n")
	write(t, filepath.Join(dir, "projects/b/s/subagents/agent-1.jsonl"), "no end")
	write(t, filepath.Join(dir, "projects/b/s/journal.jsonl"), "decoy\n")
	write(t, filepath.Join(dir, "projects/b/s.jsonl.backup"), "decoy\n")
	write(t, filepath.Join(dir, "tokens.json"), read(t, "testdata/tokens.json"))
	return dir, []string{"--runs=2", "--ccwatchd=" + filepath.Join(bin, "ccwatchd"), "--ccusage=" + filepath.Join(bin, "ccusage"), dir}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func compare(t *testing.T, args []string) (string, error) {
	t.Helper()
	var stdout strings.Builder
	err := run(t.Context(), args, &stdout, io.Discard)
	return stdout.String(), err
}

const (
	tableHead = "| tokens | input | output | cache write | cache read |\n|---|--:|--:|--:|--:|\n"
	notesHead = "- `wc -l`: `xargs -0 wc -l`\n- `cat`: `xargs -0 cat`\n" +
		"- `jq`: `xargs -0 jq -ncR` with the sum of `.message.usage` of all lines, in one round only\n"
)

func TestCompare(t *testing.T) {
	_, args := setUp(t)
	got, err := compare(t, args)
	if err != nil {
		t.Fatal(err)
	}
	const want = tableHead +
		"| truth | 139 | 2,009 | 1,358 | 90,062 |\n" +
		"| `jq` | 8,984 (+6363.3 %) | 1,780 (-11.4 %) | 4,742 (+249.2 %) | 70,709 (-21.5 %) |\n" +
		"| `ccwatchd` | 139 (exact) | 2,009 (exact) | 1,358 (exact) | 90,062 (exact) |\n" +
		"| `ccusage` | 8,960 (+6346.0 %) | 786 (-60.9 %) | 1,363 (+0.4 %) | 52,997 (-41.2 %) |\n\n" + notesHead +
		"- `ccwatchd`: `ccwatchd once DIR/projects`\n" +
		"- `ccusage`: `CLAUDE_CONFIG_DIR=DIR ccusage claude daily --offline --json`\n"
	if !strings.HasSuffix(got, want) || !strings.Contains(got, "0 MB in 2 files, in the page cache; medians of 2 rounds.\n") {
		t.Errorf("got\n%s\nwant it to end with\n%s", got, want)
	}
	for _, name := range []string{"wc -l", "cat", "jq", "ccwatchd", "ccusage"} {
		if !regexp.MustCompile("\n\\| `" + name + "` \\| \\d+\\.\\d\\d s \\|").MatchString(got) {
			t.Errorf("got no costs of %s in\n%s", name, got)
		}
	}
	// Each round runs all programs once, in turn; jq runs in the first measured one.
	const round, withJQ = "xargs\nxargs\nccwatchd\nccusage\n", "xargs\nxargs\nxargs\nccwatchd\nccusage\n"
	if order := read(t, os.Getenv("LOG")); order != round+withJQ+round {
		t.Errorf("got the order\n%s", order)
	}
}

// Programs that are missing or fail are left out. Without the truth there are no
// deviations.
func TestLeftOut(t *testing.T) {
	dir, args := setUp(t)
	if err := os.Remove(filepath.Join(dir, "tokens.json")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "projects/c/s.jsonl"), "unexpected\n") // makes xargs fail
	got, err := compare(t, append([]string{"--ccusage=missing"}, append(args[:2:2], dir)...))
	failure := "exit status 1: got files " + dir
	if err != nil || !strings.Contains(got, tableHead+"| `ccwatchd` | 139 | 2,009 | 1,358 | 90,062 |\n\n") ||
		!strings.Contains(got, "- Left out, `wc -l`: "+failure) || !strings.Contains(got, "- Left out, `ccusage`: exec: \"missing\": ") {
		t.Errorf("got error %v, report\n%s", err, got)
	}
}

func TestErrors(t *testing.T) {
	dir, args := setUp(t)
	empty, bad := t.TempDir(), t.TempDir()
	for _, name := range []string{"projects/a/s.jsonl", "tokens.json"} {
		write(t, filepath.Join(bad, name), "tokens\n")
	}
	write(t, filepath.Join(empty, "projects/a/s.jsonl"), "")
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"unknown flag", "unknown long flag '--bad'", []string{"--bad"}},
		{"no directory", "required argument 'dir' not provided", args[:1]},
		{"missing directory", "find sessions below " + dir + "/missing/projects: ", []string{dir + "/missing"}},
		{"no sessions", "find sessions below " + empty + "/projects: ", []string{empty}},
		{"bad truth", "read the true totals: parse the report: ", []string{bad}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := compare(t, test.args); err == nil || !strings.HasPrefix(err.Error(), test.want) || got != "" {
				t.Errorf("got %q, error %v, want error %s", got, err, test.want)
			}
		})
	}
}

func TestReportTokens(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"no output", "", ""},
		{"a table", "Date  Tokens", "parse the report: invalid character"},
		{"another format", `{"daily":[]}`, "the report has no totals"},
		{"no tokens", `{"daily":[],"totals":{}}`, ""},
		{"truncated", `{"totals":{}}{`, "parse the report: unexpected EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := reportTokens(strings.NewReader(test.text))
			if (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), test.want) || err == nil && *got != (tokens{}) {
				t.Errorf("got %v, error %v, want error %q", got, err, test.want)
			}
		})
	}
}

func TestPairedRatio(t *testing.T) {
	times := func(all ...time.Duration) []time.Duration { return all }
	for _, test := range []struct {
		name        string
		times, base []time.Duration
		want        float64
	}{
		{"itself", times(3, 5, 4), times(3, 5, 4), 1},
		{"noise in some rounds", times(10, 20, 30), times(5, 1, 10), 3}, // the ratio of the medians is 4
		{"an even number", times(1, 6, 3, 100), times(1, 1, 1, 1), 4.5},
		{"one round", times(30), times(10, 1, 1), 3},
		{"no round", nil, times(1), 0},
	} {
		if got := pairedRatio(test.times, test.base); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// The costs of a process include those of its children.
func TestCosts(t *testing.T) {
	const memory = 64_000_000
	p := program{command: func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf("head -c %d /dev/zero | tail -c %[1]d; true", memory))
	}}
	for _, measured := range []bool{false, true} {
		if err := p.run(t.Context(), measured); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.wall) != 1 || p.wall[0] <= 0 || p.cpu[0] <= 0 || p.peak[0] < memory || p.peak[0] > 16*memory {
		t.Errorf("got wall times %v, CPU times %v and peaks %v for %d bytes", p.wall, p.cpu, p.peak, memory)
	}
}

func TestDeviation(t *testing.T) {
	for _, test := range []struct {
		got, want int64
		text      string
	}{
		{5, 5, "exact"},
		{0, 0, "exact"},
		{1, 0, "+1"},
		{0, 7, "-100.0 %"},
		{150, 100, "+50.0 %"},
		{2_847_930_203, 2_847_930_202, "+1"}, // never "+0.0 %"
	} {
		if got := deviation(test.got, test.want); got != test.text {
			t.Errorf("deviation(%d, %d): got %q, want %q", test.got, test.want, got, test.text)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 2847930202: "2,847,930,202"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d): got %q, want %q", n, got, want)
		}
	}
}

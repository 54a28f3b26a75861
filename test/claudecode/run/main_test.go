package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/claudecode/sandbox"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// TestMain is also this program in a sandbox, and a Claude Code for tests.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && (os.Args[1] == sandbox.Probe || os.Args[1] == insideRun):
		inside(os.Args[1])
	case filepath.Base(os.Args[0]) == "claude":
		if err := claude(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// claude asks the API once and writes a transcript. If there is a file "wrong" beside
// it, it writes more output than was served.
func claude() error {
	const body = `{"model": "claude-sonnet-4-5", "stream": true, "tools": [{}, {}], "messages": [{"role": "user", "content": "SCRIPT:main"}]}`
	response, err := http.Post(os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	output := 42
	if _, err := os.Stat(filepath.Join(filepath.Dir(os.Args[0]), "wrong")); err == nil {
		output++
	}
	text := fmt.Sprintf(`{"type":"assistant","uuid":"u1","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/mnt/work","sessionId":"s","requestId":%q,`+
		`"message":{"id":"msg_01Scripted00000000000001","role":"assistant","model":"claude-sonnet-4-5","stop_reason":"end_turn","content":[{"type":"text","text":"hello"}],`+
		`"usage":{"input_tokens":111,"output_tokens":%d,"cache_read_input_tokens":3000,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":2000},"cache_creation_input_tokens":2010}}}`+"\n", response.Header.Get("Request-Id"), output)
	dir := filepath.Join(os.Getenv("HOME"), ".claude/projects/-mnt-work")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(text), 0o600)
}

// fake installs this test in the place of a version of Claude Code.
func fake(t *testing.T) (cache string) {
	t.Helper()
	cache = t.TempDir()
	dir := filepath.Join(cache, "2.1.999/node_modules/@anthropic-ai/claude-code-linux-x64")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "claude"), program, 0o700); err != nil {
		t.Fatal(err)
	}
	return cache
}

// execute runs the program and returns the exit status and the output.
func execute(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, progress bytes.Buffer
	code := run(t.Context(), args, &out, &progress)
	t.Log(progress.String())
	return code, out.String()
}

func TestRun(t *testing.T) {
	testsize.SkipRace(t, "other processes do the work")
	if err := available(t.Context()); err != nil {
		t.Skip("Claude Code cannot be run here: ", err)
	}
	cache, dir := fake(t), t.TempDir()
	known := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(known, []byte("# Known.\nline assistant\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--claude=2.1.999", "--cache=" + cache, "--dir=" + dir, "--known=" + known, "cache_1?"}
	code, out := execute(t, args...)
	for _, want := range []string{
		"Claude Code 2.1.999, 1 scenarios in ", " cache_1h    5163     5163           0         1", "\n  assistant 1\n", "\n  field assistant message.usage\n",
	} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("missing %q: exit status %d\n%s", want, code, out)
		}
	}
	if strings.Contains(out, "  line assistant") {
		t.Error("a known kind of line is printed as unknown")
	}
	program := filepath.Join(cache, "2.1.999/node_modules/@anthropic-ai/claude-code-linux-x64")
	if err := os.WriteFile(filepath.Join(program, "wrong"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := execute(t, args...); code != 1 || !strings.Contains(out, "PROBLEMS of cache_1h") || !strings.Contains(out, "lines state map[") {
		t.Errorf("wrong lines: exit status %d\n%s", code, out)
	}
	// The runs are compared again, and new kinds and fields become known.
	if code, out := execute(t, append(args, "--judge", "--update")...); code != 1 || !strings.Contains(out, "PROBLEMS of cache_1h") {
		t.Errorf("compared again: exit status %d\n%s", code, out)
	}
	if _, out := execute(t, append(args, "--judge")...); !strings.Contains(out, "values: 0\n") {
		t.Errorf("known: got\n%s", out)
	}
}

func TestUnavailable(t *testing.T) {
	t.Setenv("PATH", "")
	want := "Claude Code is not run: it needs "
	if code, out := execute(t); code != 0 || !strings.HasPrefix(out, want) {
		t.Errorf("exit status %d: %s", code, out)
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"--claude=new"}, {"--judge"}, {"--unknown"}} {
		if code, _ := execute(t, args...); code != 2 {
			t.Errorf("%v: exit status %d", args, code)
		}
	}
	if code, out := execute(t, "--help"); code != 0 || !strings.Contains(out, "Examples:") {
		t.Errorf("exit status %d: %s", code, out)
	}
}

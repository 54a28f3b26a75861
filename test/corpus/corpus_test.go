package corpus_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/gobuild"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

func generate(t testing.TB, o corpus.Options) (string, corpus.Expected) {
	t.Helper()
	dir := t.TempDir()
	expected, err := corpus.Generate(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return dir, expected
}

func tsv(t testing.TB, expected corpus.Expected) string {
	t.Helper()
	var b strings.Builder
	if err := expected.WriteTSV(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// ccwatchd counts the expected totals. It runs as a separate program, so that it shares
// nothing with the generator.
func TestExpected(t *testing.T) {
	ccwatchd := build(t)
	t.Run("corpus", func(t *testing.T) { testCorpora(t, ccwatchd) })
	t.Run("writer", func(t *testing.T) { testWriters(t, ccwatchd) })
}

func testCorpora(t *testing.T, ccwatchd string) {
	t.Helper()
	for _, o := range []corpus.Options{
		{Seed: 1},
		{Seed: 2},
		{Seed: 3, Projects: 2},
		{Seed: 4, Size: 8 << 20},
		{Seed: 5, Size: 8 << 20, Until: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Seed: 6, Size: 8 << 20, CloneAll: true},
	} {
		t.Run(fmt.Sprint("seed ", o.Seed), func(t *testing.T) {
			t.Parallel()
			dir, expected := generate(t, o)
			compare(t, ccwatchd, dir, expected)
		})
	}
}

func build(t *testing.T) (ccwatchd string) {
	t.Helper()
	testsize.SkipRace(t, "builds a program")
	ccwatchd = filepath.Join(t.TempDir(), "ccwatchd")
	if err := gobuild.Build(t.Context(), gobuild.Ccwatchd, ccwatchd); err != nil {
		t.Fatal(err)
	}
	return ccwatchd
}

// compare compares the counts of ccwatchd with the expected totals, and with what the
// second implementation finds.
func compare(t *testing.T, ccwatchd, dir string, expected corpus.Expected) {
	t.Helper()
	text, err := exec.Command(ccwatchd, "once", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	differences, err := reference.Compare(strings.NewReader(tsv(t, expected)), bytes.NewReader(text), reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		t.Error(d)
	}
	got, err := exposition.ParseText(string(text))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := naive.Read(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	want := naive.Expected(tree)
	if n := want.NonZero(naive.Families()); n < 300 {
		t.Errorf("got only %d series", n)
	}
	for _, d := range reference.DiffSeries(want, got, naive.Families()) {
		t.Error(d)
	}
}

// The totals of a writer are right as well, at any speed.
func testWriters(t *testing.T, ccwatchd string) {
	t.Helper()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := corpus.NewWriter(seed, 3, start, float64(1+100*seed))
			sessions := w.Showcase(4, start)
			for range 6 {
				sessions = append(sessions, w.Session(start))
			}
			for _, line := range slices.Concat(sessions...) {
				write(t, filepath.Join(dir, filepath.FromSlash(line.Path)), line.Text)
			}
			compare(t, ccwatchd, dir, w.Expected())
		})
	}
}

// write appends to a file.
func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// tree returns the hashes and modification times of the files in a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files[rel] = fmt.Sprintf("%x %v", sha256.Sum256(b), info.ModTime().UTC())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestSameOptionsGiveTheSameFiles(t *testing.T) {
	read := func(seed uint64) (map[string]string, string) {
		dir, expected := generate(t, corpus.Options{Seed: seed, Size: 4 << 20})
		return tree(t, dir), tsv(t, expected)
	}
	files, expected := read(1)
	again, expectedAgain := read(1)
	for name, is := range files {
		if again[name] != is {
			t.Errorf("%s is %s, then %s", name, is, again[name])
		}
	}
	if len(again) != len(files) || expected != expectedAgain {
		t.Errorf("got %d files, then %d; totals\n%s, then\n%s", len(files), len(again), expected, expectedAgain)
	}
	others, _ := read(2)
	for name, is := range others {
		if files[name] == is && !strings.HasSuffix(name, ".json") && !strings.Contains(name, "memory") && filepath.Base(name) != "history.jsonl" {
			t.Errorf("%s is the same with another seed", name)
		}
	}
}

// The smallest corpus contains everything.
func TestSmallestCorpusHasEverything(t *testing.T) {
	for seed := range uint64(6) {
		dir, expected := generate(t, corpus.Options{Seed: seed})
		if expected.Bytes > 6<<20 {
			t.Errorf("seed %d: got %d bytes, want at most 6 MB", seed, expected.Bytes)
		}
		has := tsv(t, expected)
		for _, want := range everything() {
			if !strings.Contains("\n"+has, "\n"+want) {
				t.Errorf("seed %d: %q is missing", seed, want)
			}
		}
		var all []byte
		for _, b := range transcripts(t, dir) {
			all = append(all, b...)
		}
		for _, want := range traps() {
			if !regexp.MustCompile(want).Match(all) {
				t.Errorf("seed %d: %s is missing", seed, want)
			}
		}
	}
}

// transcripts returns the content of the transcripts by path.
func transcripts(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	err := filepath.WalkDir(filepath.Join(dir, "projects"), func(path string, e fs.DirEntry, err error) error {
		switch base := filepath.Base(path); {
		case err != nil:
			return err
		case e.IsDir() && (base == "tool-results" || base == "memory"):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(base) != ".jsonl" || base == "journal.jsonl" || base == "history.jsonl":
			return nil
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// traps are patterns of content that the totals do not show.
func traps() []string {
	return []string{
		`"isSidechain":false,"forkedFrom":\{"sessionId":`,
		`"isSidechain":true,"agentId":"acompact-`,
		`"data":\{"message":\{"type":"assistant".*"usage":.*"type":"agent_progress"`,
		`"type":"tool_use".*"type":"tool_use".*"type":"tool_use".*"stop_reason"`,
		`"type":"tool_result".*"type":"tool_result".*"type":"tool_result"`,
		`"usage":\{"input_tokens":\d+,"output_tokens":\d+\}`,
		`"stop_reason":null`,
		`"model":"<synthetic>"`,
		`"name":"mcp__`,
		`"type":"web_search_tool_result"`,
		`"retryInMs":\d+\.\d+`,
		`"type":"image","source":\{"type":"base64"`,
		`"structuredPatch":\[\{"oldStart"`,
		`\\u0000`,
		`\\ud83[c-e]\\ud[c-f]`,
		`\\u00e9`,
		`é`,
		`"type":"system","subtype":"local_command","content":"<command-name>/`,
		`"modelUsage":\{.*\[1m\]":`,
		`"modelUsage":null`,
		`"turnCompanion":true`,
		`"kind":"coordinator"`,
		`"stop_reason":"(compaction|end_turn)".*"type":"compaction"`,
		`"sessionKind":"bg"`,
		`"perTurnEffort":`,
		`\x00{1,}\{`,
		"\r\n",
	}
}

// everything returns prefixes of the totals that every corpus must have.
func everything() []string {
	var all []string
	add := func(format string, values ...string) {
		for _, v := range values {
			all = append(all, fmt.Sprintf(format, v))
		}
	}
	add("human_turns\tkind=%s\t", "text", "command", "local_command", "bash", "queued", "sdk")
	add("subagents\tkind=%s\t", "task", "workflow", "warmup", "compact", "prompt_suggestion", "side_question")
	add("malformed_lines\tclass=%s\t", "glued", "torn", "garbage", "not_object")
	add("lines\tstate=%s\t", "ok", "malformed", "blank")
	add("compactions\tscope=%s\t", "main,trigger=auto", "main,trigger=manual", "main,trigger=unknown", "subagent,trigger=auto")
	add("interrupts\tscope=%s\t", "main", "subagent")
	add("tool_errors_class\tclass=%s\t", "user_rejected", "interrupted", "sibling_cancelled", "exit_code", "permission", "validation", "tool_use_error", "other")
	add("api_errors\tclass=%s", "authentication_failed", "unknown", "rate_limit", "invalid_request", "server_error", "billing_error", "overloaded", "max_output_tokens", "model_not_found", "oauth_org_not_allowed")
	add("api_retries\tstatus=%s\t", "529", "429", "401", "ConnectionRefused", "ECONNRESET", "FailedToOpenSocket", "unknown")
	add("entries\tsubtype=,type=%s\t", "assistant", "user", "queue-operation", "file-history-snapshot", "last-prompt", "fork-context-ref", "future-entry", "cost-state", "continued-in", "atis-latch", "artifact-autoreact-ledger")
	add("entries\tsubtype=%s,type=system\t", "turn_duration", "api_error", "compact_boundary", "microcompact_boundary", "away_summary", "local_command", "agents_killed", "init")
	add("iteration_tokens\titeration=%s", "advisor_message", "compaction", "fallback_message", "future_message", "message")
	add("commands\tcommand=%s\t", "permissions", "review", "clear", "usage")
	add("queue_operations\toperation=%s\t", "enqueue", "dequeue", "remove", "popAll")
	add("reported\tfield=%s,model=claude-", "inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "webSearchRequests", "costUSD", "contextWindow")
	add("reported_seen_tokens\ttype=%s\t", "input", "output", "thinking", "cache_read", "cache_write")
	add("unknown_format\tkind=%s\t", "metadata_type", "type", "iteration")
	add("server_tool_requests\tkind=%s\t", "web_search_requests")
	add("%s\t", "code_lines\top=added", "code_lines\top=removed", "turn_durations_ms\t", "tool_results_orphan\t", "thinking_tokens")
	return all
}

// The distributions are those of the package comment.
func TestDistributions(t *testing.T) {
	testsize.SkipRace(t, "writes many sessions")
	dir, expected := generate(t, corpus.Options{Seed: 7, Size: int64(testsize.Of(160<<20, 64<<20))})
	var lines, sizes []int
	var quotes, backslashes, results, agents int
	for path, b := range transcripts(t, dir) {
		if strings.HasPrefix(filepath.Base(path), "agent-") {
			agents++
		}
		sizes = append(sizes, len(b))
		quotes += bytes.Count(b, []byte(`"`))
		backslashes += bytes.Count(b, []byte(`\`))
		for line := range bytes.Lines(b) {
			lines = append(lines, len(line))
			if bytes.Contains(line, []byte(`"type":"tool_result"`)) && !bytes.Contains(line, []byte(`"type":"agent_progress"`)) {
				results += len(line)
			}
		}
	}
	slices.Sort(lines)
	slices.Sort(sizes)
	at := func(sorted []int, percent float64) float64 {
		return float64(sorted[int(percent/100*float64(len(sorted)))])
	}
	total := float64(expected.Bytes)
	for _, test := range []struct {
		what          string
		got, min, max float64
	}{
		{"files", float64(expected.Files), float64(len(sizes)), float64(len(sizes))},
		{"p50 of the lines", at(lines, 50), 900, 1200},
		{"p90 of the lines", at(lines, 90), 3800, 5600},
		{"p95 of the lines", at(lines, 95), 7500, 11500},
		{"p99 of the lines", at(lines, 99), 25000, 42000},
		{"p99.9 of the lines", at(lines, 99.9), 70000, 140000},
		{"p50 of the files", at(sizes, 50), 80e3, 170e3},
		{"p90 of the files", at(sizes, 90), 0.7e6, 1.6e6},
		{"p99 of the files", at(sizes, 99), 1.5e6, 6e6},
		{"share of sub-agents", float64(agents) / float64(len(sizes)), .35, .65},
		{"share of results", float64(results) / total, .46, .57},
		{"bytes per quote", total / float64(quotes), 20, 25},
		{"bytes per backslash", total / float64(backslashes), 38, 53},
	} {
		if test.got < test.min || test.got > test.max {
			t.Errorf("%s: %.6g, want %.6g to %.6g", test.what, test.got, test.min, test.max)
		}
	}
}

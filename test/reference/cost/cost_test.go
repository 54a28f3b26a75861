package cost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A tree is the content of files by path.
type tree map[string]string

func readTree(t *testing.T, files tree) Totals {
	t.Helper()
	dir := t.TempDir()
	for rel, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	totals, err := Read(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	return totals
}

// A line is a record of a message. "" as the stop reason is null.
type line struct {
	id, uuid, at, stop, model, usage string
}

func (l line) String() string {
	field := func(name, value string) string {
		if value == "" {
			return ""
		}
		return `"` + name + `":"` + value + `",`
	}
	model := l.model
	if model == "" {
		model = "claude-haiku-4-5"
	}
	return `{` + field("uuid", l.uuid) + `"type":"assistant",` + field("timestamp", l.at) + `"sessionId":"s","message":{` + field("id", l.id) +
		field("stop_reason", l.stop) + `"model":"` + model + `","usage":{` + l.usage + `}}}` + "\n"
}

// in is a final record of n tokens of input.
func in(id, n string) string {
	return line{id: id, stop: "end_turn", usage: `"input_tokens":` + n}.String()
}

func TestBestRecord(t *testing.T) {
	early := line{id: "m", at: "2026-10-06T23:59:59Z", model: "claude-sonnet-5-5", usage: `"input_tokens":9,"output_tokens":5,"cache_read_input_tokens":1`}
	with := func(change func(*line)) string {
		l := early
		change(&l)
		return l.String()
	}
	late := func(l *line) { l.at = "2026-10-07T00:00:01Z" }
	for _, test := range []struct{ name, content, want string }{
		{"one", early.String(), "input 18000 read 200 output 50000 saved 1800"},
		{"a stop reason wins", with(func(l *line) { l.stop, l.usage = "end_turn", `"output_tokens":1` }) + early.String(), "output 10000"},
		{"then the larger output", with(func(l *line) { l.usage = `"output_tokens":6` }) + early.String(), "output 60000"},
		{"then the later one, of one record", early.String() + with(func(l *line) { l.usage = `"input_tokens":1,"output_tokens":5` }), "input 2000 output 50000"},
		{"with the time of the earlier one", early.String() + with(late), "input 18000 read 200 output 50000 saved 1800"},
		{"in any order", with(late) + early.String(), "input 18000 read 200 output 50000 saved 1800"},
		{"but not of a worse one", early.String() + with(func(l *line) { late(l); l.stop = "end_turn" }), "input 18000 read 100 output 50000 saved 1900"},
		{"but its own speed and geography", early.String() + with(func(l *line) { late(l); l.usage += `,"inference_geo":"us"` }), "input 19800 read 220 output 55000 saved 1980"},
		{"a stop reason is not empty", with(func(l *line) { l.usage = `"output_tokens":6` }) +
			strings.Replace(early.String(), `"message":{`, `"message":{"stop_reason":"",`, 1), "output 60000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkTree(t, tree{"s.jsonl": test.content}, "claude-sonnet-5-5: "+test.want)
		})
	}
}

// A correction may change the tier and the speed of the whole request.
func TestCorrectionIsPricedAsAWhole(t *testing.T) {
	checkTree(t, tree{"s.jsonl": line{id: "m", model: "claude-haiku-5-5", usage: `"input_tokens":99999,"output_tokens":1`}.String() +
		line{id: "m", model: "claude-haiku-5-5", stop: "end_turn", usage: `"input_tokens":100001,"output_tokens":10,"inference_geo":"us"`}.String()},
		"claude-haiku-5-5: input 55000550 output 27500")
}

func TestMessages(t *testing.T) {
	for _, test := range []struct {
		name  string
		files tree
		want  string // tokens of input in 10^-9 dollars
	}{
		{"ids are global", tree{"a/s.jsonl": in("m", "5"), "b/agent-1.jsonl": in("m", "5") + in("n", "1")}, "input 6000"},
		{"without an id, the uuid", tree{"s.jsonl": line{uuid: "u", usage: `"input_tokens":3`}.String() + line{uuid: "u", usage: `"input_tokens":3`}.String() + line{uuid: "v", usage: `"input_tokens":1`}.String()}, "input 4000"},
		{"without both, the line", tree{"s.jsonl": in("", "1") + in("", "1"), "r.jsonl": in("", "1")}, "input 3000"},
		{"an id is no uuid", tree{"s.jsonl": in("u", "1") + line{uuid: "u", usage: `"input_tokens":1`}.String()}, "input 2000"},
		{"files of all kinds", tree{"s.jsonl": in("1", "1"), "s/subagents/workflows/wf_1/agent-a.jsonl": in("2", "1"), "x/agent-acompact-1.jsonl": in("3", "1")}, "input 3000"},
		{"not transcripts", tree{"s.jsonl": in("1", "1"), "journal.jsonl": in("2", "1"), "history.jsonl": in("3", "1"), "s.jsonl.bak": in("4", "1"),
			"p/tool-results/s.jsonl": in("5", "1"), "p/memory/s.jsonl": in("6", "1")}, "input 1000"},
		{"not messages", tree{"s.jsonl": in("1", "1") + strings.Replace(in("2", "1"), "assistant", "progress", 1) + strings.Replace(in("3", "1"), "claude-haiku-4-5", "<synthetic>", 1) +
			`{"type":"assistant"}` + "\n" + `{"type":"assistant","message":{"id":"4","usage":null}}` + "\n" + `{"type":"assistant","message":"5"}` + "\n"}, "input 1000"},
	} {
		t.Run(test.name, func(t *testing.T) { checkTree(t, test.files, "claude-haiku-4-5: "+test.want) })
	}
}

func TestLines(t *testing.T) {
	one, two := strings.TrimSpace(in("1", "1")), strings.TrimSpace(in("2", "10"))
	for _, test := range []struct{ name, content, want string }{
		{"glued", one + two + "\n", "input 11000"},
		{"glued with blanks between", one + " \x00\t" + two + "\n", "input 11000"},
		{"torn", one[:40] + two + "\n", "input 10000"},
		{"torn after a complete one", one + two[:40] + "\n", "input 1000"},
		{"torn between two", one + two[:40] + strings.Replace(two, "2", "3", 1) + "\n", "input 11000"},
		{"the end of an object", "}" + one + "\n", "input 1000"},
		{"an object that is no entry", one + two[:40] + `{"type":"assistant","message":{"usage":{"input_tokens":1}}}` + "\n", "input 1000"},
		{"unterminated", one + "\n" + two, "input 11000"},
		{"unterminated and torn", one + "\n" + two[:40], "input 1000"},
		{"unterminated and glued", one + "\n" + one + two, "input 1000"},
		{"BOM, NUL and carriage return", "\xef\xbb\xbf" + one + "\r\n\x00\x00" + two + "\x00\n", "input 11000"},
		{"blank and not an object", "\n \r\n[" + two + "]\nnull\n" + one + "\n", "input 1000"},
		{"not UTF-8", strings.Replace(one, `"1"`, "\"\xff\"", 1) + "\n" + strings.Replace(one, `"1"`, "\"\xfe\"", 1), "input 1000"},
		{"names are case-sensitive", strings.Replace(one, "usage", "Usage", 1) + "\n" + two + "\n", "input 10000"},
		{"the last of equal members", strings.Replace(one, `"input_tokens":1`, `"input_tokens":1,"input_tokens":7`, 1) + "\n", "input 7000"},
	} {
		t.Run(test.name, func(t *testing.T) { checkTree(t, tree{"s.jsonl": test.content}, "claude-haiku-4-5: "+test.want) })
	}
}

// Copies of a session have the same ids, in files that are read before or after it.
func TestForks(t *testing.T) {
	session := in("1", "1") + in("2", "10")
	checkTree(t, tree{"a/fork.jsonl": session + in("3", "100"), "b/s.jsonl": session, "c/fork.jsonl": session + in("4", "1000")},
		"claude-haiku-4-5: input 1111000")
}

// Entries are not newer than the reading, and not older than Claude Code.
func TestImpossibleTimes(t *testing.T) {
	before, after := time.Date(2026, 10, 6, 12, 0, 0, 0, time.UTC), time.Date(2026, 10, 8, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		at   string
		now  time.Time
		want string
	}{
		{"2026-10-07T00:00:00Z", before, "read 200 saved 1800"},
		{"2026-10-07T00:00:00Z", after, "read 100 saved 1900"},
		{"2020-01-01T00:00:00Z", after, "read 200 saved 1800"},
		{"2019-12-31T23:59:59Z", after, "read 100 saved 1900"},
	} {
		l := line{id: "m", at: tt.at, model: "claude-sonnet-5-5", usage: `"cache_read_input_tokens":1`}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(l.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		totals, err := Read(dir, tt.now)
		if got := describe(totals["claude-sonnet-5-5"]); err != nil || got != tt.want {
			t.Errorf("%s at %s: got %s, want %s, error %v", tt.at, tt.now, got, tt.want, err)
		}
	}
}

func TestNormalize(t *testing.T) {
	for model, want := range map[string]string{
		"claude-opus-4-6":                                    "claude-opus-4-6",
		"Claude Opus 4.6":                                    "claude-opus-4-6",
		"claude-3-7-sonnet-latest":                           "claude-3-7-sonnet",
		"claude-sonnet-4-5-20250929[1m]":                     "claude-sonnet-4-5",
		"claude-opus-4-5@20251101":                           "claude-opus-4-5",
		"anthropic.claude-3-haiku-20240307-v1:0":             "claude-3-haiku",
		"global.anthropic.claude-opus-4-6-v1:0[1m]":          "claude-opus-4-6",
		"bedrock/us.anthropic.claude-opus-4-1-20250805-v1:0": "claude-opus-4-1",
		"anthropic/claude-sonnet-4.5":                        "claude-sonnet-4-5",
		"anthropic.claude-3-5-sonnet-20241022-v2:0":          "claude-3-5-sonnet",
		"claude-opus-4-v12:34":                               "claude-opus-4",
		"eu.anthropic.claude-opus-4-6":                       "claude-opus-4-6",
		"apac.anthropic.claude-opus-4-6":                     "claude-opus-4-6",
		"au.anthropic.claude-opus-4-6":                       "claude-opus-4-6",
		"ca.anthropic.claude-opus-4-6":                       "claude-opus-4-6",
		"jp.anthropic.claude-opus-4-6":                       "claude-opus-4-6",
		"us-gov.anthropic.claude-opus-4-6":                   "claude-opus-4-6",
		" Claude Haiku 4.5\t":                                "claude-haiku-4-5",
		"Claude Sonnet 4 [1m]":                               "claude-sonnet-4",
		// These keep what no rule takes away.
		"claude-opus-4-60":                    "claude-opus-4-60",
		"claude-opus-4-2025051":               "claude-opus-4-2025051",
		"claude-opus-4-20250514-fast":         "claude-opus-4-20250514-fast",
		"anthropic.anthropic.claude-opus-4-6": "anthropic-claude-opus-4-6",
		"mars.anthropic.claude-opus-4-6":      "mars-anthropic-claude-opus-4-6",
		"us.claude-opus-4-6":                  "us-claude-opus-4-6",
		"claude-3-5-sonnet-v2":                "claude-3-5-sonnet-v2",
		"Ä":                                   "Ä",
		"anthropic/":                          "",
	} {
		if got := normalize(model); got != want {
			t.Errorf("%s: got %s, want %s", model, got, want)
		}
	}
}

func TestWriteTSV(t *testing.T) {
	totals := readTree(t, tree{"s.jsonl": line{id: "m", model: `a\tb`, usage: `"input_tokens":3`}.String()})
	var b strings.Builder
	if err := totals.WriteTSV(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if want := 2 * (6 + 3); len(lines) != want {
		t.Errorf("got %d lines, want %d", len(lines), want)
	}
	for _, want := range []string{"unpriced_tokens\tmodel=a\\tb\t3\n", "unpriced_tokens\tmodel=unknown\t0\n", "cost\tcomponent=web_search,model=a\\tb\t0\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("lacks %q:\n%s", want, &b)
		}
	}
}

func TestReadErrors(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "missing"), now); err == nil {
		t.Error("got no error for a missing directory")
	}
	for _, list := range []string{"model | x |", "model | 1 | since 2026-01-01", "model | 1 | from May", "model | 1 | over many"} {
		if _, err := parseList(list); err == nil {
			t.Errorf("got no error for %q", list)
		}
	}
}

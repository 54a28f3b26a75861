package statusline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// documented is a short form of the input in Claude Code's documentation.
var documented = fmt.Sprintf(`{
  "cwd": "/current/working/directory", "session_id": "abc123", "transcript_path": "/path/to/transcript.jsonl",
  "model": {"id": "claude-opus-4-8", "display_name": "Opus"},
  "workspace": {"current_dir": "/current/working/directory", "project_dir": "/original/project/directory"},
  "version": "2.1.283", "output_style": {"name": "default"},
  "cost": {"total_cost_usd": 0.01234, "total_duration_ms": 45000},
  "context_window": {"context_window_size": 200000, "used_percentage": 8, "remaining_percentage": 92},
  "exceeds_200k_tokens": false,
  "rate_limits": {
    "five_hour": {"used_percentage": 23.5, "resets_at": %d},
    "seven_day": {"used_percentage": 91.2, "resets_at": %d}}}`,
	now.Add(133*time.Minute).Unix(), now.Add(76*time.Hour).Unix())

// cached returns an input with a model and a prompt cache that expires after a time.
func cached(model, cache string, expires time.Duration) string {
	return fmt.Sprintf(`{"model":{"id":%q},"prompt_cache":{`+cache+`}}`, model, now.Add(expires).Unix())
}

func TestLine(t *testing.T) {
	limit := func(name, used string, ahead time.Duration) string {
		return fmt.Sprintf(`{"rate_limits":{%q:{"used_percentage":%s,"resets_at":%d}}}`, name, used, now.Add(ahead).Unix())
	}
	for _, test := range []struct {
		name, input string
		o           Options
		want        string
	}{
		{"documented", documented, Options{Cost: "$12.35"}, "Opus · context 8% of 200k · 5h 23% (2h13m) · 7d 91% (3d4h) · today $12.35 · session $0.01"},
		{"colors", documented, Options{Color: true}, "Opus · \x1b[32mcontext 8% of 200k\x1b[0m · \x1b[32m5h 23% (2h13m)\x1b[0m · \x1b[31m7d 91% (3d4h)\x1b[0m · session $0.01"},
		{"as wide as it is", documented, Options{Cost: "$12.35", Width: 73}, "Opus · context 8% of 200k · 5h 23% (2h13m) · 7d 91% (3d4h) · today $12.35"},
		{"narrower", documented, Options{Cost: "$12.35", Width: 72}, "Opus · context 8% of 200k · 5h 23% (2h13m) · 7d 91% (3d4h)"},
		{"narrow", documented, Options{Width: 30, Color: true}, "Opus · \x1b[32mcontext 8% of 200k\x1b[0m"},
		{"very narrow", documented, Options{Width: 3}, "Op…"},
		{"negative width", documented, Options{Width: -3, Cost: "$1"}, "Opus · context 8% of 200k · 5h 23% (2h13m) · 7d 91% (3d4h) · today $1 · session $0.01"},

		{"session cost of nothing", `{"cost":{"total_cost_usd":0}}`, Options{}, "Claude Code"},
		{"session cost that is none", `{"cost":{"total_cost_usd":"1"}}`, Options{}, "Claude Code"},
		{"absurd session cost", `{"cost":{"total_cost_usd":1e300}}`, Options{}, "Claude Code"},
		{"warm cache", cached("claude-opus-4-8", `"warm":true,"ttl":"5m","expires_at":%d,"recache_tokens_if_cold":150400`, 4*time.Minute), Options{}, "claude-opus-4-8 · cache until 12:04 ($0.94)"},
		{"warm cache of an hour", cached("claude-opus-4-8[1m]", `"warm":true,"ttl":"1h","expires_at":%d,"recache_tokens_if_cold":150400`, 59*time.Minute), Options{Color: true}, "claude-opus-4-8[1m] · cache until 12:59 ($1.50)"},
		{"cold cache", cached("claude-opus-4-8", `"warm":false,"ttl":"5m","expires_at":%d,"recache_tokens_if_cold":150400`, -time.Second), Options{Color: true}, "claude-opus-4-8 · \x1b[33mcache cold ($0.94)\x1b[0m"},
		{"cache that has expired since", cached("claude-opus-4-8", `"warm":true,"expires_at":%d`, -time.Second), Options{}, "claude-opus-4-8 · cache cold"},
		{"warm cache of an unknown size", cached("claude-opus-4-8", `"warm":true,"expires_at":%d,"recache_tokens_if_cold":null`, time.Minute), Options{}, "claude-opus-4-8 · cache until 12:01"},
		{"cache of a model without a price", cached("glm-5", `"warm":true,"expires_at":%d,"recache_tokens_if_cold":150400`, time.Minute), Options{}, "glm-5 · cache until 12:01 (150k tokens)"},
		{"cache in fast mode", strings.Replace(cached("claude-opus-5-5", `"warm":true,"expires_at":%d,"recache_tokens_if_cold":100000`, time.Minute), "{", `{"fast_mode":true,`, 1), Options{}, "claude-opus-5-5 · cache until 12:01 ($1.00)"},
		{"no cache before the first response", cached("m", `"warm":false,"expires_at":null,"requests":%d`, 0), Options{}, "m"},
		{"cache of wrong types", cached("m", `"warm":"x","ttl":7,"expires_at":"%d","recache_tokens_if_cold":[]`, 0), Options{}, "m"},
		{"absurd cache", cached("m", `"warm":true,"expires_at":%d,"recache_tokens_if_cold":1e300`, time.Minute), Options{}, "m · cache until 12:01"},

		{"nothing", "", Options{}, "Claude Code"},
		{"nothing but a cost", "", Options{Cost: "$3.00"}, "today $3.00"},
		{"garbage", "\x00\xff{{{", Options{}, "Claude Code"},
		{"not an object", `["x"]`, Options{}, "Claude Code"},
		{"cut off", documented[:100], Options{}, "Claude Code"},
		{"before the first response", `{"model":{"display_name":"Opus"},"context_window":{"used_percentage":null,"context_window_size":200000},"rate_limits":null}`, Options{}, "Opus"},
		{"an id", `{"model":{"id":"claude-opus-4-8"}}`, Options{}, "claude-opus-4-8"},
		{"wrong types", `{"model":"Opus","context_window":[8],"rate_limits":{"five_hour":5,"seven_day":{"used_percentage":"8","resets_at":[]},"spend_limit":{"used_percentage":null}}}`, Options{}, "Claude Code"},
		{"one of wrong type", `{"model":7,"context_window":{"used_percentage":50}}`, Options{}, "context 50%"},
		{"hostile name", `{"model":{"display_name":"\u001b[2J\u001b]0;owned\u0007Opus\n\r\t\u202e\u200b\u2028 4\u0085"}}`, Options{}, "[2J]0;ownedOpus 4"},
		{"long name", `{"model":{"display_name":"` + strings.Repeat("x", 1000) + `"}}`, Options{}, strings.Repeat("x", 64)},
		{"name of nothing", `{"model":{"display_name":"\u0007","id":"m"}}`, Options{}, "m"},
		{"wide name", `{"model":{"display_name":"界界界"}}`, Options{Width: 4}, "界…"},
		{"context beyond all", `{"context_window":{"used_percentage":1e300,"context_window_size":-1}}`, Options{}, "Claude Code"},
		{"negative context", `{"context_window":{"used_percentage":-1}}`, Options{}, "Claude Code"},
		{"a million", `{"context_window":{"used_percentage":99.99,"context_window_size":1000000}}`, Options{}, "context 99% of 1M"},

		{"more than all", limit("five_hour", "105", time.Minute), Options{Color: true}, "\x1b[31m5h 105% (1m)\x1b[0m"},
		{"yellow", limit("seven_day", "70", 23*time.Hour+59*time.Minute), Options{Color: true}, "\x1b[33m7d 70% (23h59m)\x1b[0m"},
		{"an instant", limit("five_hour", "0", time.Second), Options{}, "5h 0% (1s)"},
		{"has been reset", limit("five_hour", "99", -time.Second), Options{}, "Claude Code"},
		{"absurd reset", limit("five_hour", "99", 1000*time.Hour), Options{}, "Claude Code"},
		{"negative", limit("five_hour", "-1", time.Hour), Options{}, "Claude Code"},
		{"null", limit("five_hour", "null", time.Hour), Options{}, "Claude Code"},
		{"no five hours", limit("seven_day", "1", time.Minute), Options{}, "7d 1% (1m)"},
		{"week of a model", limit("seven_day_opus", "1", time.Minute), Options{}, "7d opus 1% (1m)"},
		{"other windows", `{"rate_limits":{"two\u0007_day":{"used_percentage":7},"spend_limit":{"used_percentage":140,"resets_at":null},"five_hour":{"used_percentage":5}}}`, Options{Cost: "$3.00"}, "5h 5% · spend limit 140% · two day 7% · today $3.00"},
		{"windows without a percentage", `{"rate_limits":{"model_scoped":[{"display_name":"Fable","used_percentage":7}],"extra_usage":{"is_enabled":true},"":{"used_percentage":7}}}`, Options{}, "Claude Code"},
		{"hostile window", `{"rate_limits":{"\u001b[2J\u202e_x":{"used_percentage":7}}}`, Options{}, "[2J x 7%"},
		{"reset as text", `{"rate_limits":{"five_hour":{"used_percentage":1,"resets_at":"2026-11-23T13:00:00Z"}}}`, Options{}, "5h 1% (1h0m)"},
		{"reset with a fraction", fmt.Sprintf(`{"rate_limits":{"five_hour":{"used_percentage":14.000000000000002,"resets_at":%d.9}}}`, now.Unix()+3600), Options{}, "5h 14% (1h0m)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.Now = now
			in := Parse([]byte(test.input), now)
			if got := in.Line(test.o); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// The report is valid and has no other fields.
func TestReport(t *testing.T) {
	in := Parse([]byte(documented), now)
	b := in.Report()
	r, err := limits.ParseReport(b, now)
	if err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	if r.Session != "abc123" || r.Transcript != "/path/to/transcript.jsonl" || *r.Limits["seven_day"].Percentage != 91.2 || len(r.Limits) != 2 || r.ContextWindow != 200_000 {
		t.Errorf("got %s", b)
	}
	in = Parse([]byte(`{"session_id":"s","rate_limits":{`+manyWindows(100)+`}}`), now)
	if r, err := limits.ParseReport(in.Report(), now); err != nil || len(r.Limits) != limits.MaxWindows || *r.Limits["window_15"].Percentage != 15 {
		t.Errorf("many windows: got %s, %v", in.Report(), err)
	}
	in = Parse([]byte(`{"session_id":"s","context_window":{"context_window_size":1000000}}`), now)
	if r, err := limits.ParseReport(in.Report(), now); err != nil || r.ContextWindow != 1_000_000 {
		t.Errorf("no limits: got %s, %v", in.Report(), err)
	}
	for _, input := range []string{"", "{}", `{"session_id":"s","rate_limits":{}}`, strings.Replace(documented, "/path", strings.Repeat("/p", limits.MaxReport), 1)} {
		in := Parse([]byte(input), now)
		if b := in.Report(); b != nil {
			t.Errorf("%.100s: got %.200s, want nothing", input, b)
		}
	}
}

func manyWindows(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"window_%02d":{"used_percentage":%d}`, i, i)
	}
	return strings.Join(all, ",")
}

// Whatever the input, there is one line that is not empty, and can be printed.
func FuzzLine(f *testing.F) {
	f.Add([]byte(documented), 0, false)
	f.Add([]byte(documented), 20, true)
	f.Add([]byte(cached("claude-opus-4-8", `"warm":true,"expires_at":%d,"recache_tokens_if_cold":150400`, time.Minute)), 0, false)
	f.Add([]byte(`{"model":{"display_name":"\u001b]0;x\u0007\n"}}`), 1, true)
	f.Fuzz(func(t *testing.T, input []byte, width int, color bool) {
		in := Parse(input, now)
		line := in.Line(Options{Now: now, Width: width, Color: color})
		text := strings.NewReplacer("\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "", "\x1b[0m", "").Replace(line)
		if text == "" || !utf8.ValidString(line) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("got %q", line)
		}
		if b := in.Report(); b != nil && !json.Valid(b) {
			t.Errorf("invalid report %q", b)
		}
	})
}

package daemon

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// hostileTexts are what one file may hold to take memory or time: each returns
// some megabytes, of which a few lines are all that counts.
func hostileTexts() map[string]struct {
	text string
	want totals // besides the harmless lines around it
} {
	const many = 1 << 20
	keys := func(format string) string {
		return "{" + session(many, func(i int) string { return fmt.Sprintf(format, i) + "," }) + `"type":"mode"}`
	}
	type hostile = struct {
		text string
		want totals
	}
	entries := func(typ string, n uint64) totals {
		return totals{fmt.Sprintf("ccwatchd_lines_total{type=%q}", typ): n}
	}
	problem := func(reason string, n uint64) totals {
		return totals{fmt.Sprintf("ccwatchd_line_errors_total{reason=%q}", reason): n}
	}
	return map[string]hostile{
		"a million keys":          {oneLine(keys(`"k%d":1`)), entries("mode", 1)},
		"a million times one key": {oneLine(keys(`"message":{"n":%d}`)), entries("mode", 1)},
		"nested a hundred thousand deep": {
			`{"type":"mode","a":` + strings.Repeat(`{"a":[`, 50_000) + strings.Repeat(`]}`, 50_000) + "}", problem("garbage", 1),
		},
		"nested as deep as allowed": {
			`{"type":"mode","a":` + strings.Repeat(`[`, 9_999) + strings.Repeat(`]`, 9_999) + "}", entries("mode", 1),
		},
		"never closed":                {strings.Repeat(`{"message":{"content":[`, many/8), problem("garbage", 1)},
		"glued a million times":       {strings.Repeat(`{}`, many), problem("torn", 1)},
		"a million lines of nothing":  {strings.Repeat("\n", many) + "\x00", nil},
		"a million lines of one byte": {strings.Repeat("x\n", many-1) + "x", problem("garbage", many)},
		"NULs":                        {strings.Repeat("\x00", 8*many), nil},
		"no UTF-8":                    {`{"type":"mode","a":"` + strings.Repeat("\xff", 8*many) + `"}`, entries("mode", 1)},
		"another file":                {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00\xde\xad\xbe\xef\"{[\\", many), problem("garbage", 1)},
		"blocks": {
			`{"type":"user","uuid":"x","message":{"content":[` + strings.Repeat(`{"type":"tool_result","tool_use_id":"t"},`, many/16) + `1]}}`, entries("user", 5),
		},
		"advisors": {
			`{"type":"assistant","message":{"model":"opus","stop_reason":"end_turn","usage":{"iterations":[` + strings.Repeat(`{"type":"advisor_message"},`, many/4) + `1]}}}`, entries("assistant", 3),
		},
		"a long line of text": {`{"type":"mode","a":"` + strings.Repeat("x", 32*many) + `"}`, entries("mode", 1)},
	}
}

// oneLine takes the newlines out of a text.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "") }

// Whatever a file holds, what stands around it counts, what is wrong with it is
// told, and reading it takes memory in proportion to it and keeps next to none.
func TestHostileTexts(t *testing.T) {
	for name, hostile := range hostileTexts() {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			w := newHostileWorld(t)
			want := w.harmless()
			k := &talk{ID: "hostile", CWD: "/home/dev/hostile"}
			k.Prompt("before").Raw(hostile.text).Prompt("after")
			k.Write(t, w.dir, "p/hostile.jsonl")
			want[`claude_prompts_total{kind="text",project="hostile"}`] = 2
			for series, v := range hostile.want {
				want[series] += v
			}
			size := len(hostile.text)
			hostile.text, k.Lines = "", nil
			before := allocated()
			w.keeps(4<<20, func() {
				w.start()
				w.exactly(want)
			})
			// A line can hold 65,536 entries, whatever its length.
			if took, limit := allocated()-before, uint64(16*size+160<<20); took > limit {
				t.Errorf("%d bytes were allocated for %d, want %d at most", took, size, limit)
			}
			w.exposed()
		})
	}
}

// Numbers that no request can have are none, and told.
func TestHostileNumbers(t *testing.T) {
	for number, want := range map[string]struct{ counted, told uint64 }{
		"7":                    {7, 0},
		"1.5":                  {1, 0},
		"1e3":                  {1000, 0},
		"-5":                   {0, 0},
		"-1e308":               {0, 0},
		`"12"`:                 {0, 0},
		"null":                 {0, 0},
		"[3]":                  {0, 0},
		"9007199254740992":     {1 << 53, 0},
		"9007199254740993":     {0, 1},
		"18446744073709551616": {0, 1},
		"1e308":                {0, 1},
		"1e999":                {0, 1},
	} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			w := newHostileWorld(t)
			beside := w.harmless()
			usage := strings.ReplaceAll(`{"input_tokens":N,"output_tokens":N,"cache_read_input_tokens":N,"cache_creation_input_tokens":N,`+
				`"output_tokens_details":{"thinking_tokens":N},"server_tool_use":{"web_search_requests":N},"iterations":[{"type":"advisor_message","model":"adv","output_tokens":N}]}`, "N", number)
			k := &talk{ID: "s", CWD: "/home/dev/hostile"}
			k.Line("assistant", `,"message":{"id":"m","model":"opus","stop_reason":"end_turn","usage":%s}`, usage)
			k.Line("system", `,"subtype":"turn_duration","durationMs":%s`, number)
			k.Line("system", `,"subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":%s}`, number)
			k.Reply(reply{ID: "n", In: 1, Out: 1, Stop: "end_turn"})
			k.Write(t, w.dir, "p/hostile.jsonl")
			w.start()
			for typ, more := range map[string]uint64{"input": 1, "output": 1, "cache_read": 0, "cache_write_5m": 0} {
				beside[fmt.Sprintf(`claude_tokens_total{type=%q,model="opus",project="hostile",agent="main"}`, typ)] = want.counted + more
			}
			beside[`claude_tokens_total{type="output",model="adv",project="hostile",agent="advisor"}`] = want.counted
			beside[`claude_thinking_tokens_total{model="opus",project="hostile",agent="main"}`] = want.counted
			beside[`claude_server_tool_requests_total{tool="web_search",model="opus"}`] = want.counted
			beside[`claude_turn_duration_seconds_count{project="hostile"}`] = 1
			beside[`claude_turn_duration_seconds_sum{project="hostile"}`] = want.counted
			beside[`claude_compactions_total{trigger="auto",project="hostile",agent="main"}`] = 1
			beside[`ccwatchd_unknown_format_total{kind="usage_key"}`] = want.told
			w.exactly(beside)
			// However often that is, no counter starts over.
			w.add("p/hostile.jsonl", session(3, func(i int) string {
				return fmt.Sprintf(`{"type":"assistant","cwd":"/home/dev/hostile","message":{"id":"m%d","model":"opus","stop_reason":"end_turn","usage":%s}}`, i, usage)
			}))
			w.exactly(totals{
				`claude_tokens_total{type="input",model="opus",project="hostile",agent="main"}`: 4*want.counted + 1,
				`ccwatchd_unknown_format_total{kind="usage_key"}`:                               4 * want.told,
			})
		})
	}
}

// A line counts whatever time it states, and no series is said to have been made,
// or anything to have happened, before there were sessions or in the future.
func TestHostileTimes(t *testing.T) {
	w := newHostileWorld(t)
	want := w.harmless()
	times := []string{
		`"0000-01-01T00:00:00.000Z"`, `"9999-12-31T23:59:59.999Z"`, `"-0001-01-01T00:00:00Z"`, `""`, `"now"`, `0`, `1e300`, `-1`, `null`, `{}`, `[]`, `true`,
		`"2026-02-30T25:61:61.000Z"`, `"2026-03-01T10:00:00.000+99:99"`, `"10000-01-01T00:00:00Z"`, `"1970-01-01T00:00:00.000Z"`, `"` + strings.Repeat("9", 1<<16) + `"`,
	}
	w.write("p/hostile.jsonl", session(len(times), func(i int) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"u%d","sessionId":"s","cwd":"/home/dev/hostile","timestamp":%s,"message":{"id":"m%d","model":"late-%d",`+
			`"stop_reason":"end_turn","content":[{"type":"tool_use","id":"t%d","name":"Bash"}],"usage":{"output_tokens":1}}}`+"\n"+
			`{"type":"user","uuid":"v%d","sessionId":"s","timestamp":"2026-03-01T10:00:00.000Z","message":{"content":[{"type":"tool_result","tool_use_id":"t%d"}]}}`, i, times[i], i, i, i, i, i)
	}))
	for i := range times {
		want[fmt.Sprintf(`claude_requests_total{model="late-%d",project="hostile",agent="main",stop_reason="end_turn"}`, i)] = 1
	}
	want[`claude_tool_calls_total{tool="Bash",mcp_server="",project="hostile",agent="main"}`] = uint64(len(times))
	want[`claude_tool_duration_seconds_count{tool="Bash",mcp_server=""}`] = 0 // none of the calls has a time
	w.start()
	w.exactly(want)
	snap, _ := snapshot(w.d)
	first, now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Now().UnixMilli()
	for _, f := range snap.Families {
		for _, s := range f.Samples {
			if s.Created < first || s.Created > now {
				t.Errorf("%s%q was made at %v", f.Family.Name, s.Labels, time.UnixMilli(s.Created))
			}
		}
	}
	for _, s := range w.exposed() {
		at, gauge := s.Value, s.Family == "claude_last_activity_timestamp_seconds"
		if gauge && (at > float64(now)/1000 || at < float64(first)/1000 || math.IsNaN(at)) {
			t.Errorf("something happened last at %v: %v", at, s.Series())
		}
	}
}

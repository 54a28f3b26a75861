package daemon

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// A largeInput is a text of some megabytes, and its few counts.
type largeInput struct {
	text string
	want totals
}

func largeInputs() map[string]largeInput {
	many := testsize.Of(1<<20, 1<<18)
	keys := func(format string) string {
		all := lines(many, func(i int) string { return fmt.Sprintf(format, i) + "," })
		return "{" + strings.ReplaceAll(all, "\n", "") + `"type":"mode"}`
	}
	counted := func(typ string, n uint64) totals {
		return totals{fmt.Sprintf("ccwatchd_lines_total{type=%q}", typ): n}
	}
	lineErrors := func(reason string, n uint64) totals {
		return totals{fmt.Sprintf("ccwatchd_line_errors_total{reason=%q}", reason): n}
	}
	return map[string]largeInput{
		"many keys":           {keys(`"k%d":1`), counted("mode", 1)},
		"same key many times": {keys(`"message":{"n":%d}`), counted("mode", 1)},
		"nested a hundred thousand deep": {
			`{"type":"mode","a":` + strings.Repeat(`{"a":[`, 50_000) + strings.Repeat(`]}`, 50_000) + "}", lineErrors("garbage", 1),
		},
		"nested as deep as allowed": {
			`{"type":"mode","a":` + strings.Repeat(`[`, 9_999) + strings.Repeat(`]`, 9_999) + "}", counted("mode", 1),
		},
		"never closed":             {strings.Repeat(`{"message":{"content":[`, many/8), lineErrors("garbage", 1)},
		"many objects in one line": {strings.Repeat(`{}`, many), lineErrors("torn", 1)},
		"many empty lines":         {strings.Repeat("\n", many) + "\x00", nil},
		"many lines of one byte":   {strings.Repeat("x\n", many-1) + "x", lineErrors("garbage", uint64(many))},
		"NULs":                     {strings.Repeat("\x00", 8*many), nil},
		"invalid UTF-8":            {`{"type":"mode","a":"` + strings.Repeat("\xff", 8*many) + `"}`, counted("mode", 1)},
		"binary file":              {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00\xde\xad\xbe\xef\"{[\\", many), lineErrors("garbage", 1)},
		"many content blocks": {
			`{"type":"user","uuid":"x","message":{"content":[` + strings.Repeat(`{"type":"tool_result","tool_use_id":"t"},`, many/16) + `1]}}`, counted("user", 5),
		},
		"many advisor iterations": {
			`{"type":"assistant","message":{"model":"opus","stop_reason":"end_turn","usage":{"iterations":[` + strings.Repeat(`{"type":"advisor_message"},`, many/4) + `1]}}}`, counted("assistant", 3),
		},
		"long string": {`{"type":"mode","a":"` + strings.Repeat("x", 32*many) + `"}`, counted("mode", 1)},
	}
}

// Large or malformed input is counted or exposed as line errors, the lines around it
// count, reading it allocates memory in proportion to its size, and little is kept.
func TestLargeInputs(t *testing.T) {
	testsize.SkipRace(t, "reads large files")
	for name, tt := range largeInputs() {
		t.Run(name, func(t *testing.T) {
			h := newUntrustedHarness(t)
			want := h.writeKnownSession()
			s := &session{ID: "large", CWD: "/home/dev/large"}
			s.Prompt("before").Raw(tt.text).Prompt("after")
			h.Write(fileA, s.String())
			want[prompts("large")] = 2
			for series, v := range tt.want {
				want[series] += v
			}
			size := len(tt.text)
			tt.text, s.Lines = "", nil
			before := allocated()
			// A line can have 65,536 entries, and each may be an iteration, which is kept.
			h.checkHeapGrowth(2<<20+64*65_536, func() {
				h.start()
				h.waitForSeries(want)
			})
			if got, limit := allocated()-before, uint64(16*size+160<<20); got > limit {
				t.Errorf("allocated %d bytes for %d, want at most %d", got, size, limit)
			}
			h.samples()
		})
	}
}

// A longLine is a line of nearly the maximal length.
type longLine struct {
	text  func() string // without "\n"
	times int           // reading may allocate times the length of the line
	fixed int           // plus fixed bytes
	kept  int           // heap bytes that may be kept after reading
	want  totals
}

// longLines returns a line that is mostly an ignored field, and lines of objects that
// are all counted, with as many parts as possible.
func longLines(length int) map[string]longLine {
	const objectLength, nothing = 1 << 10, 1 << 20
	keys := length / 3
	glued := func(begin, part, end string) longLine {
		object := begin + strings.Repeat(part+",", objectLength/len(part)) + part + end
		return longLine{
			func() string { return strings.Repeat(object, length/len(object)) }, 5,
			testsize.Of(8<<20, 64<<20), // mostly for tables of parts, if the line is short
			keys,
			totals{`ccwatchd_line_errors_total{reason="glued"}`: 1},
		}
	}
	begin, end := `{"type":"progress","sessionId":"a","data":{"output":"`, `"}}`
	return map[string]longLine{
		"ignored text": {
			func() string { return begin + strings.Repeat("x", length-len(begin+end)-1) + end }, 2, 8 << 20, nothing,
			totals{`ccwatchd_lines_total{type="progress"}`: 1},
		},
		"hook summaries": glued(`{"type":"system","subtype":"stop_hook_summary","hookInfos":[`, `{}`, `]}`),
		"tool calls":     glued(`{"type":"assistant","message":{"content":[`, `{"type":"tool_use"}`, `]}}`),
		"tool results":   glued(`{"type":"user","message":{"content":[`, `{"type":"tool_result","tool_use_id":""}`, `]}}`),
		"iterations":     glued(`{"type":"assistant","message":{"usage":{"iterations":[`, `{"type":"compaction"}`, `]}}}`),
		"queued prompts": glued(`{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":[`, `{}`, `]}}`),
	}
}

// A line of the maximum length, written in many pieces, allocates a small multiple of
// its length. Only the keys of its counted parts are kept.
func TestLongestLine(t *testing.T) {
	testsize.SkipRace(t, "reads long lines")
	length := testsize.Of(tailer.DefaultMaxLine, tailer.DefaultMaxLine/4)
	for name, tt := range longLines(length) {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.settings.MaxLine, h.settings.Scan = length, time.Hour // scans allocate, too
			h.startWithReplies(1)
			line := tt.text()
			before := allocated()
			h.checkHeapGrowth(tt.kept, func() {
				h.appendSlowly(line)
				if got, limit := allocated()-before, uint64(tt.times*len(line)+tt.fixed); got > limit {
					t.Errorf("allocated %d bytes for a line of %d, want at most %d", got, len(line), limit)
				}
			})
			h.waitFor(tt.want)
			runtime.KeepAlive(line) // its end is not a change of the heap
		})
	}
}

// appendSlowly appends a line in pieces, and waits until each piece and the line are
// read.
func (h *harness) appendSlowly(line string) {
	h.Helper()
	var metric dto.Metric
	backlogBytes := func() int { // a whole exposition would allocate
		h.Must(h.metrics.Backlog.Write(&metric))
		return int(metric.GetGauge().GetValue())
	}
	const piece = 1 << 20
	for begin := 0; begin < len(line); begin += piece {
		end := min(begin+piece, len(line))
		h.Append(fileA, line[begin:end])
		h.waitUntil("the piece is searched", func() bool { return backlogBytes() == end })
	}
	h.Append(fileA, "\n")
	h.waitUntil("the line is read", func() bool { return backlogBytes() == 0 })
}

// Invalid token counts and durations count as 0, and too large numbers are exposed as
// unknown. No counter overflows.
func TestInvalidNumbers(t *testing.T) {
	type testCase struct {
		number                 string
		wantCount, wantUnknown uint64
	}
	cases := make(map[string]testCase)
	for _, c := range []testCase{
		{"7", 7, 0},
		{"1.5", 1, 0},
		{"1e3", 1000, 0},
		{"-5", 0, 0},
		{"-1e308", 0, 0},
		{`"12"`, 0, 0},
		{"null", 0, 0},
		{"[3]", 0, 0},
		{"9007199254740992", 1 << 53, 0},
		{"9007199254740993", 0, 1},
		{"18446744073709551616", 0, 1},
		{"1e308", 0, 1},
		{"1e999", 0, 1},
	} {
		cases[c.number] = c
	}
	const unknown = `ccwatchd_unknown_format_total{kind="usage_key"}`
	tokens := func(kind, model, agent string) string {
		return fmt.Sprintf(`claude_tokens_total{type=%q,model=%q,project="numbers",agent=%q}`, kind, model, agent)
	}
	runCases(t, cases, func(h *harness, tt testCase) {
		h.useDefaultLabels()
		want := h.writeKnownSession()
		usage := strings.ReplaceAll(`{"input_tokens":N,"output_tokens":N,"cache_read_input_tokens":N,"cache_creation_input_tokens":N,`+
			`"output_tokens_details":{"thinking_tokens":N},"server_tool_use":{"web_search_requests":N},`+
			`"iterations":[{"type":"advisor_message","model":"adv","output_tokens":N}]}`, "N", tt.number)
		s := &session{ID: "s", CWD: "/home/dev/numbers"}
		s.Line("assistant", `,"message":{"id":"m","model":"opus","stop_reason":"end_turn","usage":%s}`, usage)
		s.Line("system", `,"subtype":"turn_duration","durationMs":%s`, tt.number)
		s.Line("system", `,"subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":%s}`, tt.number)
		s.Reply(reply{ID: "n", In: 1, Out: 1, Stop: "end_turn"})
		h.Write(fileA, s.String())
		h.start()
		for kind, more := range map[string]uint64{"input": 1, "output": 1, "cache_read": 0, "cache_write_5m": 0} {
			want[tokens(kind, "opus", "main")] = tt.wantCount + more
		}
		want[tokens("output", "adv", "advisor")] = tt.wantCount
		want[`claude_thinking_tokens_total{model="opus",project="numbers",agent="main"}`] = tt.wantCount
		want[`claude_server_tool_requests_total{tool="web_search",model="opus"}`] = tt.wantCount
		want[`claude_turn_duration_seconds_count`] = 1
		want[`claude_turn_duration_seconds_sum`] = tt.wantCount
		want[`claude_compactions_total{trigger="auto",project="numbers",agent="main"}`] = 1
		want[unknown] = tt.wantUnknown
		h.waitForSeries(want)
		h.Append(fileA, lines(3, func(i int) string {
			return fmt.Sprintf(`{"type":"assistant","cwd":"/home/dev/numbers",`+
				`"message":{"id":"m%d","model":"opus","stop_reason":"end_turn","usage":%s}}`, i, usage)
		}))
		h.waitForSeries(totals{tokens("input", "opus", "main"): 4*tt.wantCount + 1, unknown: 4 * tt.wantUnknown})
	})
}

// A line counts with any timestamp. No created timestamp and no last activity is in the
// future, or before Claude Code existed.
func TestInvalidTimestamps(t *testing.T) {
	h := newUntrustedHarness(t)
	want := h.writeKnownSession()
	times := []string{
		`"0000-01-01T00:00:00.000Z"`, `"9999-12-31T23:59:59.999Z"`, `"-0001-01-01T00:00:00Z"`, `""`, `"now"`, `0`, `1e300`, `-1`, `null`, `{}`, `[]`, `true`,
		`"2026-02-30T25:61:61.000Z"`, `"2026-03-01T10:00:00.000+99:99"`, `"10000-01-01T00:00:00Z"`, `"1970-01-01T00:00:00.000Z"`, `"` + strings.Repeat("9", 1<<16) + `"`,
	}
	h.Write(fileA, lines(len(times), func(i int) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"u%d","sessionId":"s","cwd":"/home/dev/times","timestamp":%s,"message":{"id":"m%d","model":"late-%d",`+
			`"stop_reason":"end_turn","content":[{"type":"tool_use","id":"t%d","name":"Bash"}],"usage":{"output_tokens":1}}}`+"\n"+
			`{"type":"user","uuid":"v%d","sessionId":"s","timestamp":"2026-03-01T10:00:00.000Z","message":{"content":[{"type":"tool_result","tool_use_id":"t%d"}]}}`, i, times[i], i, i, i, i, i)
	}))
	for i := range times {
		want[fmt.Sprintf(`claude_requests_total{model="late-%d",project="times",agent="main",stop_reason="end_turn"}`, i)] = 1
	}
	want[`claude_tool_calls_total{tool="Bash",mcp_server="",project="times",agent="main"}`] = uint64(len(times))
	want[`claude_tool_duration_seconds_count{tool="Bash",mcp_server=""}`] = 0 // the calls have no times
	h.start()
	h.waitForSeries(want)
	snap, _ := snapshot(h.d)
	earliest, now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Now().UnixMilli()
	for _, f := range snap.Families {
		for _, s := range f.Samples {
			if s.Created < earliest || s.Created > now {
				t.Errorf("%s%q has the created timestamp %v", f.Family.Name, s.Labels, time.UnixMilli(s.Created))
			}
		}
	}
	for _, s := range h.samples() {
		if s.Family != "claude_last_activity_timestamp_seconds" {
			continue
		}
		if last := s.Value; last > float64(now)/1000 || last < float64(earliest)/1000 || math.IsNaN(last) {
			t.Errorf("got the last activity %v: %v", last, s.Series())
		}
	}
}

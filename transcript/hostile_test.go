package transcript

import (
	"fmt"
	"strings"
	"testing"
)

// hostileLines returns functions that make expensive lines of about n bytes.
func hostileLines() map[string]func(n int) string {
	repeat := strings.Repeat
	user := func(content string) string {
		return `{"type":"user","timestamp":"2026-02-03T04:05:06.789Z","message":{"content":` + content + `}}`
	}
	result := func(content string) string {
		return user(`[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":` + content + `}]`)
	}
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	return map[string]func(n int) string{
		"text":               func(n int) string { return user(`"` + repeat("x", n) + `"`) },
		"braces":             func(n int) string { return repeat("{", n) },
		"brackets":           func(n int) string { return `{"a":` + repeat("[", n) },
		"empty objects":      func(n int) string { return repeat("{}", n/2) },
		"empty elements":     func(n int) string { return user(`[` + repeat("{},", n/3) + `{}]`) },
		"strings":            func(n int) string { return user(`[` + repeat(`"",`, n/3) + `"x"]`) },
		"starts":             func(n int) string { return repeat(`{"type":[`, n/9) },
		"starts of strings":  func(n int) string { return repeat(`{"type":"`, n/9) },
		"starts of records":  func(n int) string { return `x` + repeat(`{"type":"a","sessionId":[`, n/25) },
		"starts before text": func(n int) string { return repeat(`{"type":[`, 1000) + `"\x` + repeat("x", n) + `"` },
		"parts of records":   func(n int) string { return `x` + repeat(`{"type":`, n/9) + `1` + repeat(`}`, n/9) },
		"quotes":             func(n int) string { return `{"a":"` + repeat(`"`, n) },
		"backslashes":        func(n int) string { return `{"a":"` + repeat(`\`, n) },
		"escaped quotes":     func(n int) string { return user(`"` + repeat(`\"`, n/2) + `"`) },
		"escapes in keys":    func(n int) string { return `{` + repeat(`"\u0061\n":1,`, n/12) + `"a":1}` },
		"units":              func(n int) string { return result(`"` + repeat(`\ud83d`, n/6) + `"`) },
		"no UTF-8":           func(n int) string { return result(`"` + repeat("\xff", n) + `"`) },
		"numbers":            func(n int) string { return `{"a":` + repeat("1", n) + `}` },
		"long count": func(n int) string {
			return `{"type":"system","subtype":"turn_duration","durationMs":` + repeat("1", n) + `}`
		},
		"messages":          func(n int) string { return `{"type":"user",` + repeat(`"message":{"content":["x"]},`, n/27) + `"a":1}` },
		"contents":          func(n int) string { return user(`1,` + repeat(`"content":["x"],`, n/16) + `"content":"x"`) },
		"prompt of keys":    func(n int) string { return user(`["x",{` + numbered(n, `"%d":1,`) + `"a":1}]`) },
		"prompt of one key": func(n int) string { return user(`["x",{` + repeat(`"a":1,`, n/6) + `"a":1}]`) },
		"deep prompt": func(n int) string {
			depth := min(n/2, maxDepth-3)
			return user(`["x"` + repeat(`,`+repeat(`[`, depth)+repeat(`]`, depth), n/2/depth) + `]`)
		},
		"parts of a result": func(n int) string { return result(`[` + repeat(`{"text":""},`, n/12) + `1]`) },
		"calls": func(n int) string {
			return `{"type":"assistant","message":{"content":[` + repeat(`{"type":"tool_use"},`, n/20) + `1]}}`
		},
		"advisors": func(n int) string {
			return `{"type":"assistant","message":{"usage":{"iterations":[` + repeat(`{"type":"advisor_message"},`, n/27) + `1]}}}`
		},
		"unknown types": func(n int) string { return numbered(n, `{"type":"t%d"}`) },
		"unknown calls": func(n int) string {
			return `{"type":"assistant","message":{"content":[` + numbered(n, `{"type":"%d_tool_use"},`) + `1]}}`
		},
		"unknown iterations": func(n int) string {
			return `{"type":"assistant","message":{"usage":{"iterations":[` + numbered(n, `{"type":"t%d"},`) + `1]}}}`
		},
		"unknown usage": func(n int) string {
			return `{"type":"assistant","message":{"usage":{` + numbered(n, `"k%d":1,`) + `"a":1}}}`
		},
		"unknown usage without numbers": func(n int) string {
			return `{"type":"assistant","message":{"usage":{` + repeat(`"k":["x",{}],`, n/13) + `"k":"x"}}}`
		},
		"unknown content": func(n int) string { return `{"type":"new","content":[` + repeat(`{"type":"x"},`, n/13) + `1]}` },
		"patch": func(n int) string {
			return `{"type":"user","toolUseResult":{"structuredPatch":[` + repeat(`{"lines":["+a"]},`, n/17) + `1]},` +
				`"message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}`
		},
		"interruptions": func(n int) string { return user(`[` + repeat(`{"type":"text","text":"  x"},`, n/29) + `1]`) },
		"white space":   func(n int) string { return `{` + repeat(" ", n) + `}` },
		"NULs":          func(n int) string { return `{}` + repeat("\x00", n) + `{}` },
		"names":         func(n int) string { return numbered(n, `{"cwd":"/%d"}`) },
		"sessions":      func(n int) string { return numbered(n, `{"sessionId":"%d"}`) },
	}
}

// Lines without counted parts allocate nothing, and the parts of others use the memory of
// the buffer.
func TestAllocations(t *testing.T) {
	tests := []struct {
		name, line string
		want       float64
	}{
		{"blank", " \t", 0},
		{"other type", `{"type":"progress","uuid":"u","cwd":"/home/dev","sessionId":"s","timestamp":"2026-02-03T04:05:06.789Z","data":{"a":[1,"\"x\""]}}`, 0},
		{"user, no message", `{"type":"user","uuid":"u"}`, 0},
		{"system", `{"type":"system","subtype":"informational","content":"a\nb"}`, 0},
		{"queue operation", `{"type":"queue-operation","operation":"enqueue","content":"x"}`, 0},
		{"garbage", `{"type":"user"`, 0},
		{"not an object", `["x"]`, 0},
		{"glued", `{"type":"mode"}{"type":"mode"}`, 0},
		{"torn", `{"type":"us{"type":"mode","sessionId":"s"}`, 0},

		{"prompt", `{"type":"user","uuid":"u","timestamp":"2026-02-03T04:05:06.789Z","message":{"content":"do it, \"please\""}}`, 0},
		{"command", `{"type":"user","message":{"content":"<command-name>/x</command-name>"}}`, 0},
		{"result", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"a\n\u00e9"}]}}`, 0},
		{"failed result", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"text":"Exit code\n"}]}]}}`, 0},
		{"edit", `{"type":"user","toolUseResult":{"structuredPatch":[{"lines":["+a","-b"]}]},"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}`, 0},
		{"message", `{"type":"assistant","sessionId":"s","message":{"id":"m","model":"claude-x","stop_reason":"end_turn","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":1,"cache_creation":{"ephemeral_5m_input_tokens":1}}}}`, 0},
		{"call", `{"type":"assistant","message":{"id":"m","model":"claude-x","content":[{"type":"tool_use","id":"t","name":"mcp__s__t","input":{"a":"\n"}}],"usage":{}}}`, 0},
		{"advisor", `{"type":"assistant","message":{"id":"m","model":"x","usage":{"iterations":[{"type":"advisor_message","model":"adv","input_tokens":1}]}}}`, 0},
		{"iterations", `{"type":"assistant","message":{"id":"m","model":"x","usage":{"speed":"fast","iterations":[{"input_tokens":1,"type":"message"},{"type":"compaction"}]}}}`, 0},
		{"text in usage", `{"type":"assistant","message":{"id":"m","model":"x","usage":{"new_tier":"a","newer":null,"fallback_credit":5}}}`, 0},
		{"unknown type", `{"type":"brand-new"}`, 1},
		{"turn", `{"type":"system","subtype":"turn_duration","durationMs":5}`, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, buffer, line := NewParser(), &Buffer{}, []byte(tt.line)
			got := testing.AllocsPerRun(100, func() {
				buffer.Reset()
				p.Parse(line, false, buffer)
			})
			equal(t, "allocations", got, tt.want)
		})
	}
}

package transcript

import (
	"fmt"
	"strings"
	"testing"
)

// hostileLines returns functions that make expensive lines of about n bytes.
func hostileLines() map[string]func(n int) string {
	user := func(content string) string {
		return `{"type":"user","timestamp":"2026-02-03T04:05:06.789Z","message":{"content":` + content + `}}`
	}
	result := func(content string) string {
		return user(`[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":` + content + `}]`)
	}
	assistant := func(message string) string { return `{"type":"assistant","message":{` + message + `}}` }
	// fill replaces the @ of a line with n bytes of a repeated unit.
	fill := func(line, unit string) func(n int) string {
		return func(n int) string { return strings.Replace(line, "@", strings.Repeat(unit, n/len(unit)), 1) }
	}
	// glue makes a line of objects that hold 300 of a part each.
	glue := func(begin, part, end string) func(n int) string {
		return fill(`@`, begin+strings.Repeat(part+`,`, 299)+part+end)
	}
	// number does the same as fill, and replaces the %d of each unit with its number.
	number := func(line, unit string) func(n int) string {
		return func(n int) string {
			var b strings.Builder
			for i := 0; b.Len() < n; i++ {
				fmt.Fprintf(&b, unit, i)
			}
			return strings.Replace(line, "@", b.String(), 1)
		}
	}
	return map[string]func(n int) string{
		"text":               fill(user(`"@"`), `x`),
		"braces":             fill(`@`, `{`),
		"brackets":           fill(`{"a":@`, `[`),
		"empty objects":      fill(`@`, `{}`),
		"empty elements":     fill(user(`[@{}]`), `{},`),
		"strings":            fill(user(`[@"x"]`), `"",`),
		"starts":             fill(`@`, `{"type":[`),
		"starts of strings":  fill(`@`, `{"type":"`),
		"starts of records":  fill(`x@`, `{"type":"a","sessionId":[`),
		"starts before text": fill(strings.Repeat(`{"type":[`, 1000)+`"\x@"`, `x`),
		"parts of records": func(n int) string {
			return `x` + strings.Repeat(`{"type":`, n/9) + `1` + strings.Repeat(`}`, n/9)
		},
		"quotes":            fill(`{"a":"@`, `"`),
		"backslashes":       fill(`{"a":"@`, `\`),
		"escaped quotes":    fill(user(`"@"`), `\"`),
		"escapes in keys":   fill(`{@"a":1}`, `"\u0061\n":1,`),
		"units":             fill(result(`"@"`), `\ud83d`),
		"invalid UTF-8":     fill(result(`"@"`), "\xff"),
		"numbers":           fill(`{"a":@}`, `1`),
		"long count":        fill(`{"type":"system","subtype":"turn_duration","durationMs":@}`, `1`),
		"messages":          fill(`{"type":"user",@"a":1}`, `"message":{"content":["x"]},`),
		"contents":          fill(user(`1,@"content":"x"`), `"content":["x"],`),
		"prompt of keys":    number(user(`["x",{@"a":1}]`), `"%d":1,`),
		"prompt of one key": fill(user(`["x",{@"a":1}]`), `"a":1,`),
		"deep prompt": func(n int) string {
			depth := min(n/2, maxDepth-3)
			nested := `,` + strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
			return user(`["x"` + strings.Repeat(nested, n/2/depth) + `]`)
		},
		"parts of a result":             fill(result(`[@1]`), `{"text":""},`),
		"calls":                         fill(assistant(`"content":[@1]`), `{"type":"tool_use"},`),
		"advisors":                      fill(assistant(`"usage":{"iterations":[@1]}`), `{"type":"advisor_message"},`),
		"glued calls":                   glue(`{"type":"assistant","message":{"content":[`, `{"type":"tool_use"}`, `]}}`),
		"glued summaries of hooks":      glue(`{"type":"system","subtype":"stop_hook_summary","toolUseID":"t","hookInfos":[`, `{"command":""}`, `]}`),
		"glued prompts":                 glue(`{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":[`, `{}`, `]}}`),
		"errors of hooks":               fill(`{"type":"system","subtype":"stop_hook_summary","hookInfos":[{"command":"x"}],"hookErrors":[@1]}`, `"[x",`),
		"unknown types":                 number(`@`, `{"type":"t%d"}`),
		"unknown calls":                 number(assistant(`"content":[@1]`), `{"type":"%d_tool_use"},`),
		"unknown iterations":            number(assistant(`"usage":{"iterations":[@1]}`), `{"type":"t%d"},`),
		"unknown usage":                 number(assistant(`"usage":{@"a":1}`), `"k%d":1,`),
		"unknown usage without numbers": fill(assistant(`"usage":{@"k":"x"}`), `"k":["x",{}],`),
		"unknown content":               fill(`{"type":"new","content":[@1]}`, `{"type":"x"},`),
		"patch": fill(`{"type":"user","toolUseResult":{"structuredPatch":[@1]},`+
			`"message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}`, `{"lines":["+a"]},`),
		"interruptions": fill(user(`[@1]`), `{"type":"text","text":"  x"},`),
		"white space":   fill(`{@}`, ` `),
		"NULs":          fill(`{}@{}`, "\x00"),
		"names":         number(`@`, `{"cwd":"/%d"}`),
		"sessions":      number(`@`, `{"sessionId":"%d"}`),
	}
}

// Lines without counted parts allocate nothing, and counted parts use the memory of the
// buffer.
func TestAllocations(t *testing.T) {
	for _, tt := range []struct {
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
	} {
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

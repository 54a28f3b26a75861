package transcript

import (
	"slices"
	"strings"
	"testing"
)

// wholeSession is one line of glued entries that together use all members.
const wholeSession = `{"type":"user","uuid":"u1","sessionId":"s1","cwd":"/home/\u00e9","timestamp":"2026-02-03T04:05:06.789Z","isSidechain":true,` +
	`"toolUseResult":{"type":"create","content":"a\nb","structuredPatch":[{"lines":["+a","-b"]}]},` +
	`"message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"text":"Exit"},{"text":"code","source":{"data":"AA"}}]}]}}` +
	`{"type":"user","uuid":"u2","sessionId":"s1","timestamp":"2026-02-03T04:05:07.789Z","message":{"content":[{"type":"text","text":"<command-name>/x\u0021</command-name>"}]}}` +
	`{"type":"user","uuid":"u3","message":{"content":"Warmup"},"entrypoint":"sdk-\u0074s"}` +
	`{"type":"assistant","uuid":"u4","sessionId":"s2","message":{"id":"m1","model":"claude-x","stop_reason":"new","content":[` +
	`{"type":"tool_use","id":"t1","name":"mcp__s__t"},{"type":"web_search_tool_result","tool_use_id":"t2","content":"h\u00e9"}],` +
	`"usage":{"input_tokens":1,"output_tokens":2,"cache_creation":{"ephemeral_1h_input_tokens":3},"a":1,` +
	`"iterations":[{"type":"advisor_message","model":"adv","input_tokens":4}]}}}` +
	`{"type":"assistant","uuid":"u5","isApiErrorMessage":true,"apiErrorStatus":529,"error":"new","message":{"content":["x"]}}` +
	`{"type":"system","subtype":"api_error","uuid":"u6","error":{"cause":{"code":"E"}}}` +
	`{"type":"system","subtype":"compact_boundary","sessionId":"s3","compactMetadata":{"trigger":"auto","preTokens":1}}` +
	`{"type":"system","subtype":"turn_duration","uuid":"u7","durationMs":5}` +
	`{"type":"attachment","uuid":"u8","attachment":{"type":"queued_command","commandMode":"prompt","prompt":[{"type":"text","text":"x"}]}}` +
	`{"type":"queue-operation","operation":"enqueue"}`

// oddLines returns unusual lines, valid and invalid in every way.
func oddLines() []string {
	lines := []string{
		"", "\x00", " \t\r", bom, bom + bom, bom + `{}`, " " + bom + `{}`, "\x00{}\x00", "{}\n", "{\n}", "\n{}\n{}", "{}\n{}", "{}\v{}",
		`null`, `nul`, `nulll`, `[]`, `[`, `]`, `{}`, `{`, `}`, `{}{}`, `{}1`, `{} {}`, "{}\x00{}", `{},{}`, `1 {}`, `"{}"`, `{}[]{}`,
		`{"a"`, `{"a":`, `{"a":}`, `{"a":1,}`, `{,}`, `{"a" 1}`, `{"a"::1}`, `{1:2}`, `{a:1}`, `{'a':1}`, `{"a":1 "b":2}`, `{"a":1}}`, `{"a":1]`,
		`{"a":[1,]}`, `{"a":[,1]}`, `{"a":[1 2]}`, `{"a":[1}`, `{"a":[]]}`, `{null:1}`, `{"a":NaN}`, `{"a":/**/1}`,
		`x{"type":"user","sessionId":"s"}`, `{"type":"us{"type":"text","text":"x"}{"type":"mode","sessionId":"s"}`,
		`{"type":"us{"type":"user","messageId":{}}`, `{"type":"us{"type":1,"sessionId":"s"}`, `{"a":{"type":"user","sessionId":"s"}`,
		strings.Repeat(`{"type":[`, maxReads+1) + `{"type":"user","sessionId":"s"}`,
		wholeSession,
	}
	for _, number := range []string{
		`0`, `-0`, `-`, `01`, `-01`, `00`, `1.`, `.1`, `1.5`, `1.e1`, `1e`, `1e+`, `1E-`, `1e5`, `1E+05`, `0e0`, `0.0`, `+1`, `1x`, `0x1`, `1_0`, `1e1.5`, `--1`,
		`9007199254740992`, `9007199254740993`, `18446744073709551616`, `100000000000000000000`, `1e999`, `-1e999`, `1e-999`, `1.9999999999999999999`, `∞`,
	} {
		lines = append(lines, number, `{"type":"system","subtype":"turn_duration","durationMs":`+number+`}`)
	}
	for _, text := range []string{
		``, `a`, `\`, `\\`, `\"`, `\\\"`, `\/\b\f\n\r\t`, `\a`, `\'`, `\u`, `\u0`, `\u004`, `\u0041`, `\u00e9`, `\u00zz`, `\u0000`, `\U0041`, `\uFFFF`,
		`\ud83d\ude00`, `\ud83d`, `\ude00`, `\ude00\ud83d`, `\ud83d\ud83d\ude00`, `\ud83dx`, `\ud83d\n`, `\ud83d\u0041`, `\ud83d\ude0`, `\ud83d\ud`,
		"\x00", "\x1f", "\x7f", "\t", "\n", "é", "\xff", "\xc3", "\xc3(", "\xed\xa0\xbd", "\xf0\x9f\x98\x80", "\xf0\x9f\x98", "\xf5\x80\x80\x80", "\xc0\x80",
		"a\\\xff", "\\\xc3\xa9", `"`, `""`, strings.Repeat("x", 200) + `\`, strings.Repeat("x", 47) + "\x01", strings.Repeat(`\"`, 40),
	} {
		lines = append(lines,
			`"`+text+`"`,
			`{"`+text+`":1,"type":"user","cwd":"`+text+`"}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"`+text+`","is_error":true,"content":"`+text+`"}]}}`,
			`{"type":"user","timestamp":"`+text+`","message":{"content":[{"type":"text","text":"`+text+`"},{"`+text+`":[1,true,null]},"x"]}}`,
		)
	}
	for _, value := range []string{`null`, `"x"`, `[]`, `{}`, `{"type":"create"}`, `{"content":"c"}`, `{"structuredPatch":[]}`, `{"structuredPatch":1}`} {
		lines = append(lines, `{"type":"user","toolUseResult":{"type":"create","content":"a\nb","structuredPatch":[{"lines":["+a"]}]},`+
			`"message":{"content":[{"type":"tool_result","tool_use_id":"t"}]},"toolUseResult":`+value+`}`)
	}
	for _, key := range []string{"type", "message", "content", "usage", "model", "id"} {
		for _, value := range []string{`null`, `true`, `1`, `"x"`, `[]`, `[{}]`, `{}`, `{"content":"x"}`, `{"id":"m","usage":{"input_tokens":1}}`} {
			member := `"` + key + `":` + value
			lines = append(lines,
				`{"type":"assistant","message":{"id":"a","model":"m","usage":{"input_tokens":7},"content":["t"]},`+member+`}`,
				`{`+member+`,"type":"user","message":{"content":[{"type":"text","text":"t"},"u"],`+member+`}}`,
				`{"type":"assistant","message":{`+member+`,"usage":{"output_tokens":5,"iterations":[{`+member+`}]},`+member+`}}`,
				`{"type":"user","message":{"content":[{"type":"text","text":"t",`+member+`},{`+member+`}]}}`,
			)
		}
	}
	return lines
}

func TestOddLines(t *testing.T) {
	c := newComparer()
	for _, line := range oddLines() {
		c.compare(t, []byte(line), false)
		c.compare(t, []byte(bom+line), true)
	}
}

// Lines truncated at any position, at their end or start, alone and next to a complete
// line.
func TestTruncatedLines(t *testing.T) {
	const record = `{"type":"mode","sessionId":"s"}`
	c := newComparer()
	objects := slices.Collect(rawValue(`[` + strings.ReplaceAll(wholeSession, `}{"type"`, `},{"type"`) + `]`).elements())
	for _, line := range objects {
		for i := range line {
			c.compare(t, line[:i], false)
			c.compare(t, line[i:], false)
			c.compare(t, slices.Concat(line[:i], []byte(record)), false)
			c.compare(t, slices.Concat([]byte(record), line[i:]), true)
		}
	}
}

// White space, and nothing else, is allowed between any two tokens.
func TestSpacedLines(t *testing.T) {
	const line = `{"type":"system","subtype":"turn_duration","durationMs":5,"a":[1,true,{},[],{"b":null}]}`
	c := newComparer()
	for _, space := range []string{" ", "\t", "\r", "\n", " \t\r\n ", "\x00", "\v", "\f", "\u0085", "\u00a0", "\ufeff", "/**/"} {
		for i := range len(line) + 1 {
			c.compare(t, []byte(line[:i]+space+line[i:]), false)
		}
	}
}

func TestDeepLines(t *testing.T) {
	c := newComparer()
	for _, depth := range []int{1, maxDepth - 5, maxDepth - 4, maxDepth - 3, maxDepth - 2, maxDepth - 1, maxDepth, maxDepth + 1} {
		lists := strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
		objects := strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth)
		for _, line := range []string{
			lists, objects, lists[1:], objects[:len(objects)-1],
			`{"type":"user","message":` + lists + `}`,
			`{"type":"user","message":{"content":[` + lists + `,"x"]}}`,
			`{"type":"user","message":{"content":["x",` + objects + `]}}`,
			`{"type":"assistant","message":{"usage":` + objects + `}}`,
			`{"type":"assistant","message":{"stop_reason":` + lists + `,"usage":{"iterations":` + lists + `}}}`,
			// Values that were entered before do not count towards the depth.
			`{"toolUseResult":{},"message":{},"a":` + lists + `}`,
			`{"toolUseResult":{"a":1},"message":{"usage":{"a":1},"content":[{}]},"a":` + lists + `}`,
			`{"type":"user","message":{"content":[{},{"a":[]},{"a":1,"b":` + lists + `}]}}`,
			`x` + objects + `{"type":"mode","sessionId":` + lists + `}`,
		} {
			c.compare(t, []byte(line), false)
		}
	}
}

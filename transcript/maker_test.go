package transcript

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A maker makes lines that are nearly entries. Each of its decisions is a byte of
// choices; once these are used up it decides for the first of what there is. So it
// can be driven by a random generator, and by a fuzzer.
type maker struct {
	choices []byte
	out     []byte
	depth   int
}

// choose returns a number below n, which is at most 256.
func (m *maker) choose(n int) int {
	if len(m.choices) == 0 {
		return 0
	}
	c := m.choices[0]
	m.choices = m.choices[1:]
	return int(c) % n
}

// shapes are the objects that lines are made of: a key, and the values that it may
// have, in which @shape stands for another object and @any for anything.
var shapes = map[string][][]string{
	"entry": {
		{"type", `"user"`, `"assistant"`, `"user"`, `"assistant"`, `"system"`, `"attachment"`, `"queue-operation"`, `"mode"`, `"new"`},
		{"message", `@message`, `@message`, `@message`}, {"message", `@message`},
		{"toolUseResult", `@edit`, `"Error: x"`},
		{"uuid", `"u1"`, `""`}, {"sessionId", `"s1"`, `"s2"`, `""`}, {"leafUuid", `1`}, {"messageId", `null`},
		{"timestamp", `"2026-02-03T04:05:06.789Z"`, `"2026-02-29T04:05:06.789Z"`, `"2026-02-03T05:05:06+01:00"`, `"now"`},
		{"cwd", `"/home/é"`, `"C:\\x"`}, {"isSidechain", `true`, `false`},
		{"isMeta", `true`, `false`}, {"isCompactSummary", `true`, `false`}, {"isVisibleInTranscriptOnly", `true`, `false`},
		{"origin", `{"kind":"human"}`, `{"kind":null}`, `{"kind":"peer"}`, `{}`}, {"promptSource", `"sdk"`, `"system"`, `"typed"`}, {"entrypoint", `"sdk-ts"`, `"cli"`},
		{"isApiErrorMessage", `true`, `true`, `false`}, {"error", `"rate_limit"`, `"new"`, `""`, `@failure`},
		{"apiError", `"max_output_tokens"`}, {"apiErrorStatus", `529`, `"5\u000029"`, `5e2`, `""`}, {"cause", `{"code":"E1"}`, `{"code":0}`},
		{"subtype", `"api_error"`, `"turn_duration"`, `"compact_boundary"`, `"informational"`, `"new"`},
		{"compactMetadata", `{"trigger":"auto","preTokens":12}`, `{"preTokens":@number,"trigger":@any}`}, {"durationMs", `@number`},
		{"attachment", `@attachment`, `@attachment`}, {"operation", `"enqueue"`, `"x"`},
	},
	"message": {
		{"content", `[@block]`, `[@block,@block]`, `[@block,@block,@any]`, `@text`, `[@text]`, `[]`}, {"usage", `@usage`, `@usage`}, {"content", `[@block]`, `@text`},
		{"id", `"m1"`, `""`}, {"model", `"claude-x"`, `"<synthetic>"`, `"a\u0000b"`, `""`}, {"stop_reason", `"end_turn"`, `null`, `"new"`, `0`, `[ ]`, `{ }`, `1e-999`, `true`},
	},
	"block": {
		{"type", `"text"`, `"tool_use"`, `"tool_result"`, `"tool_result"`, `"web_search_tool_result"`, `"server_tool_use"`, `"mcp_tool_use"`, `"image"`, `"document"`, `"new"`},
		{"text", `@text`, `@text`}, {"id", `"t1"`, `""`}, {"name", `"Bash"`, `"mcp__s__t"`, `"mcp__\n__t"`}, {"tool_use_id", `"t1"`, `"t\u0032"`}, {"is_error", `true`, `true`, `false`},
		{"content", `@text`, `[{"text":@text},{"text":@text},{"source":{"data":@text}}]`, `[@block,@any]`, `{"e":"No such tool available"}`},
	},
	"usage": {
		{"input_tokens", `@number`}, {"output_tokens", `@number`}, {"cache_read_input_tokens", `@number`}, {"cache_creation_input_tokens", `@number`},
		{"cache_creation", `{"ephemeral_5m_input_tokens":@number,"ephemeral_1h_input_tokens":@number}`, `{"ephemeral_24h_input_tokens":@number}`},
		{"output_tokens_details", `{"thinking_tokens":@number}`}, {"server_tool_use", `{"web_search_requests":@number,"web_fetch_requests":@number}`},
		{"iterations", `[@iteration]`, `[@iteration,@any,@iteration]`, `[]`}, {"service_tier", `"standard"`}, {"inference_geo", `""`}, {"speed", `"fast"`},
	},
	"iteration": {
		{"type", `"advisor_message"`, `"advisor_message"`, `"message"`}, {"model", `"adv"`, `"\u0007"`}, {"input_tokens", `@number`}, {"output_tokens", `@number`},
		{"cache_creation", `{"ephemeral_1h_input_tokens":@number}`},
	},
	"edit": {
		{"type", `"create"`, `"create"`, `"update"`}, {"content", `@text`, `""`},
		{"structuredPatch", `[{"lines":["+a","-b","","\u002bc",@any]}]`, `[]`, `[@any,{"lines":@any}]`},
	},
	"failure": {{"status", `529`, `5.0`, `"5"`}, {"cause", `{"code":"E2"}`, `{}`}, {"connection", `{"code":@any}`}},
	"attachment": {
		{"type", `"queued_command"`, `"queued_command"`, `"file"`}, {"commandMode", `"prompt"`, `"prompt"`, `"bash"`},
		{"prompt", `@text`, `[@block,@block]`}, {"isMeta", `true`, `false`}, {"origin", `{"kind":"human"}`, `{"kind":"x"}`},
	},
	"odd": {{"", `@any`}, {"a", `@any`, `@any`}, {"b", `@any`}, {"b", `@any`}, {"é", `@any`}},
}

// words are the values of what is no object.
var words = map[string][]string{
	"any": {`null`, `true`, `false`, `1`, `"x"`, `[]`, `{}`, `""`, `[null]`, `[@any,@any]`, `@odd`, `@number`, `@text`, `@block`, `@message`},
	"number": {
		`1`, `0`, `-0`, `-7`, `1.9`, `1e3`, `12E-1`, `9007199254740992`, `9007199254740993`, `9007199254740992.0`,
		`18446744073709551616`, `1e999`, `-1e999`, `1e-999`, `999999999999999999`, `"1"`, `null`,
	},
	"text": {
		`"do it"`, `"Warmup"`, `"+x"`, `""`, `"Exit code 1"`, `"\n <system-reminder>"`, `"<ide_selection>"`, `"<command-name>/a b</command-name>"`,
		`"<command-message>x</command-message><command-name>y</command-name>"`, `"<bash-input>ls"`, `"\u2003[Request interrupted by user]"`,
		`"API Error: 529 x"`, `"API Error: 5290 or 429"`, `"a\r\nb\u2028c"`, `"\ud83d\ude00 \ud83d \ude00"`, "\"\xff \xc3\xa9 \xed\xa0\x80\"", `"\"\\\/\b\f\n\r\t"`,
		`"permission, 60 bytes and more, so that it takes several words of eight"`,
	},
}

// shape makes an object, or one of the words.
func (m *maker) shape(name string) {
	m.depth++
	defer func() { m.depth-- }()
	if m.depth > 12 {
		m.out = append(m.out, '0')
		return
	}
	if values, ok := words[name]; ok {
		m.value(values[m.choose(len(values))])
		return
	}
	m.out = append(m.out, '{')
	members := shapes[name]
	for i := range 1 + m.choose(len(members)) {
		if i > 0 {
			m.out = append(m.out, ',')
		}
		member := members[i]
		if m.choose(3) == 1 {
			member = members[m.choose(len(members))] // out of its order, or once more
		}
		m.value(`"` + member[0] + `":`)
		if m.choose(12) == 1 {
			m.shape("any")
		} else {
			m.value(member[1+m.choose(len(member)-1)])
		}
	}
	m.out = append(m.out, '}')
}

// value makes JSON of what is written with @shapes.
func (m *maker) value(text string) {
	for len(text) > 0 {
		switch c := text[0]; {
		case c == '@':
			name := text[1:]
			if i := strings.IndexAny(name, `@,]}`); i >= 0 {
				name = name[:i]
			}
			m.shape(name)
			text = text[1+len(name):]
		case c == '"':
			end := scanString([]byte(text), 1)
			m.str(text[:end])
			text = text[end:]
		default:
			m.space()
			m.out = append(m.out, c)
			text = text[1:]
			if strings.IndexByte(`{}[],:`, c) >= 0 {
				m.space()
			}
		}
	}
}

func (m *maker) space() {
	if n := len(m.out); n > 0 && strings.IndexByte(`{}[],:`, m.out[n-1]) >= 0 && m.choose(32) == 1 {
		m.out = append(m.out, []string{" ", "\t", "\r", " \t \r "}[m.choose(4)]...)
	}
}

// str writes a string, sometimes with characters escaped that need not be.
func (m *maker) str(quoted string) {
	if m.choose(8) != 1 {
		m.out = append(m.out, quoted...)
		return
	}
	for i := 0; i < len(quoted); i++ {
		switch c := quoted[i]; {
		case strings.HasPrefix(quoted[i:], `\u`):
			m.out = append(m.out, quoted[i:i+6]...)
			i += 5
		case c == '\\':
			m.out = append(m.out, c, quoted[i+1])
			i++
		case c == '"' || c >= 0x80 || m.choose(3) != 1:
			m.out = append(m.out, c)
		default:
			m.out = fmt.Appendf(m.out, [...]string{`\u%04x`, `\u%04X`}[m.choose(2)], c)
		}
	}
}

// built makes a line.
func (m *maker) built() []byte {
	m.out = m.out[:0]
	m.shape("entry")
	switch m.choose(16) {
	case 1:
		m.shape("entry") // glued
	case 2:
		m.out = m.out[:len(m.out)-m.choose(min(256, len(m.out)))] // torn
		m.shape("entry")
	case 3:
		m.mutate()
	}
	return m.out
}

// mutated makes a line of one that it changes.
func (m *maker) mutated(lines [][]byte) []byte {
	m.out = append(m.out[:0], lines[m.choose(len(lines))]...)
	for range 1 + m.choose(3) {
		m.mutate()
	}
	return m.out
}

// mutate changes, removes, inserts or repeats something.
func (m *maker) mutate() {
	at := func() int { return (m.choose(256)<<8 | m.choose(256)) % (len(m.out) + 1) }
	i := at()
	j := min(i+1+m.choose(16), len(m.out))
	switch m.choose(6) {
	case 0:
		m.out = slices.Delete(m.out, i, j)
	case 1:
		if i < j {
			m.out[i] ^= 1 << m.choose(8)
		}
	case 2:
		const bytes = "\"\\{}[],:\x00\x1f \t\r\x7f\x80\xc3\xff0-9.eEutn"
		m.out = slices.Insert(m.out, i, bytes[m.choose(len(bytes))])
	case 3:
		m.out = slices.Insert(m.out, at(), slices.Clone(m.out[i:j])...)
	case 4:
		pieces := []string{`{"type":`, `"message":`, `\u`, `\ud800`, `{"type":"mode","sessionId":"s"}`, `,"type":1`, `"usage":{}`, bom, `}{`, `1e9`}
		m.out = slices.Insert(m.out, i, []byte(pieces[m.choose(len(pieces))])...)
	case 5:
		m.out = m.out[:i]
	}
}

// randomChoices returns bytes that are the same each time.
func randomChoices(seed uint64, n int) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	choices := make([]byte, n)
	for i := range choices {
		choices[i] = byte(random.Uint32())
	}
	return choices
}

func TestBuiltLines(t *testing.T) {
	c := newComparer()
	for seed := range uint64(4000) {
		m := maker{choices: randomChoices(seed, 1024)}
		if c.compare(t, m.built(), seed%2 == 0); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestMutatedLines(t *testing.T) {
	lines := fixtureLines(t)
	c := newComparer()
	for seed := range uint64(4000) {
		m := maker{choices: randomChoices(seed, 32)}
		if c.compare(t, m.mutated(lines), seed%2 == 0); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// FuzzBuilt compares lines that are made of what lines are made of.
func FuzzBuilt(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(randomChoices(seed, 200))
	}
	c := newComparer()
	f.Fuzz(func(t *testing.T, choices []byte) {
		c.compare(t, (&maker{choices: choices}).built(), false)
	})
}

// FuzzMutated compares genuine lines of which a few bytes were changed.
func FuzzMutated(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(randomChoices(seed, 20))
	}
	lines := fixtureLines(f)
	c := newComparer()
	f.Fuzz(func(t *testing.T, choices []byte) {
		c.compare(t, bytes.Clone((&maker{choices: choices}).mutated(lines)), false)
	})
}

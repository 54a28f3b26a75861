package transcript

import (
	"encoding/binary"
	"strings"
	"testing"
)

// inUTF16 encodes ASCII in UTF-16.
func inUTF16(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, r := range s {
		b = order.AppendUint16(b, uint16(r))
	}
	return string(b)
}

func TestParse(t *testing.T) {
	const (
		user   = `{"type":"user","sessionId":"s"}`
		system = `{"type":"system","subtype":"informational","sessionId":"s"}`
		mode   = `{"type":"mode","sessionId":"s"}`
	)
	for _, tt := range []struct {
		name, line string
		first      bool
		types      string // of the entries
		problem    Problem
	}{
		{name: "empty"},
		{name: "white space", line: " \t\r"},
		{name: "NULs", line: "\x00\x00\x00"},
		{name: "one object", line: user, types: "user"},
		{name: "carriage return", line: user + "\r", types: "user"},
		{name: "padding", line: "\x00 \t" + user + " \x00\x00", types: "user"},
		{name: "BOM on the first line", line: bom + user, first: true, types: "user"},
		{name: "BOM and padding", line: bom + "\x00" + user, first: true, types: "user"},
		{name: "BOM after padding", line: " " + bom + user, first: true, types: "user", problem: Torn},
		{name: "BOM on another line", line: bom + user, types: "user", problem: Torn},
		{name: "BOM alone", line: bom, first: true},
		{name: "invalid UTF-8 in a string", line: "{\"type\":\"user\",\"cwd\":\"\xff\"}", types: "user"},
		{name: "empty object", line: `{}`, types: "unknown"},

		{name: "null", line: `null`, problem: NotObject},
		{name: "true", line: `true`, problem: NotObject},
		{name: "number", line: `1.5e3`, problem: NotObject},
		{name: "string", line: `"{}"`, problem: NotObject},
		{name: "array of records", line: `[` + user + `]`, problem: NotObject},

		{name: "text", line: `hello`, problem: Garbage},
		{name: "truncated object", line: `{"type":"user"`, problem: Garbage},
		{name: "raw control character", line: "{\"type\":\"us\x01er\"}", problem: Garbage},
		{name: "invalid UTF-8 outside", line: "\xff{}", problem: Garbage},
		{name: "NaN", line: `NaN`, problem: Garbage},
		{name: "end of an object", line: `"s","type":"user"}`, problem: Garbage},

		{name: "UTF-16", line: inUTF16(user, binary.LittleEndian), problem: UTF16},
		{name: "UTF-16, the line after a newline", line: "\x00" + inUTF16(user+"\r", binary.LittleEndian), problem: UTF16},
		{name: "UTF-16 with a byte order mark", line: "\xff\xfe" + inUTF16(user+"\r", binary.LittleEndian), first: true, problem: UTF16},
		{name: "UTF-16, big end first", line: "\xfe\xff" + inUTF16(user+"\r", binary.BigEndian) + "\x00", first: true, problem: UTF16},
		{name: "UTF-16, empty", line: "\x00\r"},
		{name: "UTF-16, no object", line: "\xff\xfe" + inUTF16("hello", binary.LittleEndian), first: true, problem: Garbage},

		{name: "two glued", line: user + mode, types: "user mode", problem: Glued},
		{name: "three glued with gaps", line: user + " \t\r\x00" + mode + "\x00" + system, types: "user mode system", problem: Glued},
		{name: "glued to a number", line: user + `17`, types: "user", problem: Glued},
		{name: "glued to an array", line: user + mode + `[{"a":1}]`, types: "user mode", problem: Glued},
		{name: "glued objects of no type", line: `{}{}`, types: "unknown unknown", problem: Glued},

		{name: "cut, then complete", line: `{"type":"user","message":{"content":"abc` + mode, types: "mode", problem: Torn},
		{name: "end of an object, then complete", line: `1"},"sessionId":"s"}` + mode, types: "mode", problem: Torn},
		{name: "complete, then cut", line: user + `{"type":"mo`, types: "user", problem: Torn},
		{name: "complete, then text", line: user + `xyz`, types: "user", problem: Torn},
		{name: "complete, cut, complete", line: user + `{"type":"mo` + mode, types: "user mode", problem: Torn},
		{name: "number, then complete", line: `12` + mode, types: "mode", problem: Torn},
		{name: "non-object, then complete", line: user + `7 ` + mode, types: "user mode", problem: Torn},
		{name: "not from within what was read", line: `[` + mode + `] x`, problem: Garbage},
		{name: "record before text", line: `{"type":"user` + mode + ` xyz`, problem: Garbage},
		{
			name: "the whole, not its part", types: "system", problem: Torn,
			line: `{"type":"us{"type":"system","sessionId":"s","data":{"type":"mode","sessionId":"s"}}`,
		},
		{name: "a block is not a record", line: `{"type":"us{"type":"text","text":"x"}`, problem: Garbage},
		{name: "an object with a numeric type is not a record", line: `{"type":"us{"type":1,"sessionId":"s"}`, problem: Garbage},
		{name: "leafUuid", line: `x{"type":"summary","leafUuid":null}`, types: "summary", problem: Torn},
		{name: "messageId", line: `x{"messageId":"m","type":"file-history-snapshot"}`, types: "file-history-snapshot", problem: Torn},
		{name: "start of no record", line: `x{"cwd":"/","type":"user","sessionId":"s"}`, problem: Garbage},
		{name: "white space in the start", line: `x{ "type":"user","sessionId":"s"}`, problem: Garbage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parse([]byte(tt.line), tt.first)
			var types []string
			for _, e := range got.Entries {
				types = append(types, e.Type)
			}
			equal(t, "entries", strings.Join(types, " "), tt.types)
			equal(t, "problem", got.Problem, tt.problem)
		})
	}
}

func TestParseStarts(t *testing.T) {
	for _, key := range []string{"parentUuid", "type", "uuid", "isSidechain", "sessionId", "messageId", "operation"} {
		got := parse([]byte(`{"a{"`+key+`":"x","type":"user","sessionId":"s"}`), false)
		equal(t, key, got.Problem, Torn)
		equal(t, key, len(got.Entries), 1)
	}
}

func TestParseLimits(t *testing.T) {
	const record = `{"type":"user","sessionId":"s"}`
	for _, tt := range []struct {
		name, line string
		entries    int
		problem    Problem
	}{
		{"few starts to be read to the end", strings.Repeat(`{"type":[`, maxReads/2) + record, 1, Torn},
		{"many starts that fail at once", strings.Repeat(`{"type":x`, 5000) + record, 1, Torn},
		{"many starts to be read to the end", strings.Repeat(`{"type":[`, 5000) + record, 0, Garbage},
		{"most objects", strings.Repeat(`{}`, maxEntries), maxEntries, Glued},
		{"more objects", strings.Repeat(`{}`, maxEntries+1), maxEntries, Torn},
		{"deep", `{"a":` + strings.Repeat(`[`, 1<<20), 0, Garbage},
	} {
		got := parse([]byte(tt.line), false)
		equal(t, "entries of "+tt.name, len(got.Entries), tt.entries)
		equal(t, "problem of "+tt.name, got.Problem, tt.problem)
	}
}

func TestParseTail(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		first, ok  bool
	}{
		{name: "empty"},
		{name: "NULs", line: "\x00\x00"},
		{name: "complete", line: `{"type":"user"}`, ok: true},
		{name: "complete with padding", line: ` {"type":"user"} ` + "\x00", ok: true},
		{name: "complete with BOM", line: bom + `{"type":"user"}`, first: true, ok: true},
		{name: "BOM on another line", line: bom + `{"type":"user"}`},
		{name: "truncated", line: `{"type":"user"`},
		{name: "not an object", line: `[{"type":"user"}]`},
		{name: "null", line: `null`},
		{name: "glued", line: `{"type":"user"}{"type":"user"}`},
		{name: "torn", line: `{"ty{"type":"user","sessionId":"s"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var buffer Buffer
			equal(t, "ok", NewParser().ParseTail([]byte(tt.line), tt.first, &buffer), tt.ok)
			equal(t, "user entry", len(buffer.Entries) == 1 && buffer.Entries[0].Type == "user", tt.ok)
			equal(t, "empty buffer", len(buffer.Entries) == 0, !tt.ok)
		})
	}
}

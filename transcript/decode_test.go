package transcript

import (
	"slices"
	"testing"
)

func TestCommonFields(t *testing.T) {
	e := parseOne(t, `{"sessionId":"s\u0031","cwd":"/home/\u00e9","isSidechain":true,"uuid":"u",`+
		`"timestamp":"2026-02-03T04:05:06.789Z","type":"mode"}`)
	equal(t, "entry", e, Entry{
		Type: "mode", Time: 1770091506789,
		SessionID: "s1", Session: KeyOf("session", "s1"), CWD: "/home/é", Sidechain: true,
	})
}

func TestFieldsOfWrongTypes(t *testing.T) {
	const other = `"type":"system","subtype":"turn_duration","durationMs":5`
	turn := Entry{Type: "system", Turn: &Turn{Milliseconds: 5}}
	for _, line := range []string{
		`{` + other + `}`,
		`{"uuid":1,"sessionId":null,"cwd":["/"],"timestamp":7,"isSidechain":"true",` + other + `}`,
		`{"uuid":{},"sessionId":true,"cwd":1.5,"timestamp":{},"isSidechain":1,` + other + `}`,
		`{"UUID":"u","SessionId":"s","Cwd":"/","Timestamp":"2026-02-03T04:05:06.789Z","isSideChain":true,` + other + `}`,
		`{"uuid":"u","uuid":null,"cwd":"/","cwd":2,` + other + `}`,
		`{"durationMs":"x","subtype":"x",` + other + `}`,
		`{"d\u0075rationMs":1,` + other + `}`,
	} {
		equal(t, line, parseOne(t, line), turn)
	}
}

func TestTypes(t *testing.T) {
	for _, typ := range Types {
		e := parseOne(t, `{"subtype":"informational","type":"`+typ+`"}`)
		equal(t, "type", e.Type, typ)
		equal(t, "unknown of "+typ, len(e.Unknown), 0)
	}
	for _, line := range []string{
		`{}`, `{"type":null}`, `{"type":1}`, `{"type":["user"]}`, `{"type":""}`,
		`{"type":"User"}`, `{"Type":"user"}`, `{"type":"brand-new"}`, `{"type":"unknown"}`,
	} {
		equal(t, line, parseOne(t, line).Type, Unknown)
	}
}

func TestIsConversation(t *testing.T) {
	for _, typ := range Types {
		e := Entry{Type: typ}
		equal(t, typ, e.IsConversation(), typ == "user" || typ == "assistant")
	}
}

func TestSystem(t *testing.T) {
	compacted := func(trigger string, tokens uint64, key ...string) Entry {
		return Entry{UUID: KeyOf(key...), Compaction: &Compaction{Trigger: trigger, PreTokens: tokens}}
	}
	for _, tt := range []struct {
		fields string
		want   Entry
	}{
		{`"subtype":"informational"`, Entry{}},
		{`"subtype":"model_refusal_fallback"`, Entry{}},
		{`"subtype":"microcompact_boundary","uuid":"u","microcompactMetadata":{"trigger":"auto"}`, Entry{}},
		{`"subtype":"agents_killed"`, Entry{}},
		{`"subtype":"init"`, Entry{}},

		{`"subtype":"turn_duration","uuid":"u","durationMs":120000`, Entry{UUID: KeyOf("uuid", "u"), Turn: &Turn{Milliseconds: 120000}}},
		{`"subtype":"turn_duration","durationMs":12.9`, Entry{Turn: &Turn{Milliseconds: 12}}},
		{`"subtype":"turn_duration","durationMs":-5`, Entry{Turn: &Turn{}}},
		{`"subtype":"turn_duration"`, Entry{Turn: &Turn{}}},

		{`"subtype":"compact_boundary","uuid":"u","compactMetadata":{"trigger":"auto","preTokens":155000}`, compacted("auto", 155000, "uuid", "u")},
		{
			`"subtype":"compact_boundary","uuid":"u","compactMetadata":{"preTokens":9e4,"postTokens":4000,"durationMs":65432.1}`,
			Entry{UUID: KeyOf("uuid", "u"), Compaction: &Compaction{Trigger: "unknown", PreTokens: 90000, PostTokens: 4000, Milliseconds: 65432}},
		},
		{
			`"subtype":"compact_boundary","uuid":"u","compactMetadata":{"postTokens":-1,"durationMs":"5"}`,
			Entry{UUID: KeyOf("uuid", "u"), Compaction: &Compaction{Trigger: "unknown"}},
		},
		{`"subtype":"compact_boundary","uuid":"","compactMetadata":{"trigger":"ma\u0007nual"}`, compacted("manual", 0, "uuid", "")},
		{`"subtype":"compact_boundary","uuid":null,"compactMetadata":"auto"`, compacted("unknown", 0, "compaction", "", "")},
		{
			`"subtype":"compact_boundary","sessionId":"s","timestamp":"2026-02-03T04:05:06.789Z","compactMetadata":{"trigger":1}`,
			Entry{
				UUID:      KeyOf("compaction", "s", "2026-02-03T04:05:06.789Z"),
				SessionID: "s", Session: KeyOf("session", "s"), Time: 1770091506789, Compaction: &Compaction{Trigger: "unknown"},
			},
		},
	} {
		line := `{"type":"system",` + tt.fields + `}`
		tt.want.Type = "system"
		equal(t, line, parseOne(t, line), tt.want)
	}
}

func TestQueueOperation(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"queue-operation","operation":"enqueue"}`: "enqueue",
		`{"type":"queue-operation","operation":"dequeue"}`: "dequeue",
		`{"type":"queue-operation","operation":"remove"}`:  "remove",
		`{"type":"queue-operation","operation":"popAll"}`:  "other",
		`{"type":"queue-operation","operation":null}`:      "",
		`{"type":"queue-operation"}`:                       "",
		`{"type":"user","operation":"enqueue"}`:            "",
		`{"type":"queue-event","operation":"enqueue"}`:     "",
	} {
		equal(t, line, parseOne(t, line).QueueOperation, want)
	}
}

func TestAssignKeys(t *testing.T) {
	const line = `{"type":"assistant","message":{"usage":{},"content":[{"type":"tool_use"},{"type":"tool_use","id":"t"},{"type":"tool_use"}]}}`
	assign := func(e Entry, position string) Entry {
		e.AssignKeys(func() Key { return KeyOf("position", position) })
		return e
	}
	first, second := assign(parseOne(t, line), "1"), assign(parseOne(t, line), "2")
	equal(t, "uuid", first.UUID, KeyOf("position", "1"))
	equal(t, "call with an id", first.Uses[1].Key, KeyOf("tool", "t"))
	keys := []Key{
		first.UUID, first.Message.Key, first.Uses[0].Key, first.Uses[1].Key, first.Uses[2].Key,
		second.UUID, second.Message.Key, second.Uses[0].Key, second.Uses[2].Key, {},
	}
	for i, k := range keys {
		if slices.Contains(keys[:i], k) {
			t.Errorf("key %d equals another", i)
		}
	}
	equal(t, "entry with the same position", assign(parseOne(t, line), "1"), first)
	equal(t, "entry with keys", assign(first, "2"), first)

	ids := assign(parseOne(t, `{"type":"assistant","uuid":"u","message":{"id":"m","usage":{},"content":[{"type":"tool_use","id":"t"}]}}`), "1")
	equal(t, "message with an id", ids.Message.Key, KeyOf("message", "m"))
	equal(t, "call with an id", ids.Uses[0].Key, KeyOf("tool", "t"))
}

func TestKeyOf(t *testing.T) {
	keys := []Key{
		{}, KeyOf(), KeyOf(""), KeyOf("", ""), KeyOf("a", "b", "c"),
		KeyOf("ab", "c"), KeyOf("a", "bc"), KeyOf("abc"), KeyOf("abc", ""),
	}
	for i, k := range keys {
		if slices.Contains(keys[:i], k) {
			t.Errorf("key %d equals another", i)
		}
		equal(t, "zero", k.IsZero(), i == 0)
	}
	equal(t, "again", KeyOf("ab", "c"), keys[5])
}

// The key of a queue operation depends on session, time and operation only.
func TestQueueKey(t *testing.T) {
	key := func(fields string) Key { return parseOne(t, `{"type":"queue-operation",`+fields+`}`).QueueKey }
	want := key(`"sessionId":"s","timestamp":"t","operation":"remove","content":"a"`)
	equal(t, "another content", key(`"sessionId":"s","timestamp":"t","operation":"remove","content":"b"`), want)
	for _, fields := range []string{
		`"sessionId":"r","timestamp":"t","operation":"remove"`, `"sessionId":"s","timestamp":"u","operation":"remove"`,
		`"sessionId":"s","timestamp":"t","operation":"popAll"`, `"sessionId":"s","timestamp":"t"`,
	} {
		if key(fields) == want {
			t.Errorf("%s has the same key", fields)
		}
	}
}

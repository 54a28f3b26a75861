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

func TestFieldsOfOddTypes(t *testing.T) {
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

func TestConversation(t *testing.T) {
	for _, typ := range Types {
		e := Entry{Type: typ}
		equal(t, typ, e.IsConversation(), typ == "user" || typ == "assistant")
	}
}

func TestSystem(t *testing.T) {
	tests := []struct {
		fields string
		want   Entry
	}{
		{`"subtype":"informational"`, Entry{}},
		{`"subtype":"model_refusal_fallback"`, Entry{}},
		{`"subtype":"microcompact_boundary","uuid":"u","microcompactMetadata":{"trigger":"auto"}`, Entry{}},
		{`"subtype":"agents_killed"`, Entry{}},
		{`"subtype":"init"`, Entry{}},

		{`"subtype":"turn_duration","uuid":"u","durationMs":120000`, Entry{UUID: KeyOf("uuid", "u"), Turn: &Turn{120000}}},
		{`"subtype":"turn_duration","durationMs":12.9`, Entry{Turn: &Turn{12}}},
		{`"subtype":"turn_duration","durationMs":-5`, Entry{Turn: &Turn{}}},
		{`"subtype":"turn_duration"`, Entry{Turn: &Turn{}}},

		{
			`"subtype":"compact_boundary","uuid":"u","compactMetadata":{"trigger":"auto","preTokens":155000}`,
			Entry{UUID: KeyOf("uuid", "u"), Compaction: &Compaction{"auto", 155000}},
		},
		{
			`"subtype":"compact_boundary","uuid":"","compactMetadata":{"trigger":"ma\u0007nual"}`,
			Entry{UUID: KeyOf("uuid", ""), Compaction: &Compaction{Trigger: "manual"}},
		},
		{
			`"subtype":"compact_boundary","sessionId":"s","timestamp":"2026-02-03T04:05:06.789Z","compactMetadata":{"trigger":1}`,
			Entry{
				UUID:      KeyOf("compaction", "s", "2026-02-03T04:05:06.789Z"),
				SessionID: "s", Session: KeyOf("session", "s"), Time: 1770091506789, Compaction: &Compaction{Trigger: "unknown"},
			},
		},
		{
			`"subtype":"compact_boundary","uuid":null,"compactMetadata":"auto"`,
			Entry{UUID: KeyOf("compaction", "", ""), Compaction: &Compaction{Trigger: "unknown"}},
		},
	}
	for _, tt := range tests {
		line := `{"type":"system"}`
		if tt.fields != "" {
			line = `{"type":"system",` + tt.fields + `}`
		}
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

func TestIdentify(t *testing.T) {
	const line = `{"type":"assistant","message":{"usage":{},"content":[{"type":"tool_use"},{"type":"tool_use","id":"t"},{"type":"tool_use"}]}}`
	fallback, other := KeyOf("place", "1"), KeyOf("place", "2")

	e := parseOne(t, line)
	e.AssignKeys(at(fallback))
	equal(t, "uuid", e.UUID, fallback)
	equal(t, "call with an id", e.Uses[1].Key, KeyOf("tool", "t"))

	elsewhere := parseOne(t, line)
	elsewhere.AssignKeys(at(other))
	keys := []Key{
		e.UUID, e.Message.Key, e.Uses[0].Key, e.Uses[1].Key, e.Uses[2].Key,
		elsewhere.UUID, elsewhere.Message.Key, elsewhere.Uses[0].Key, elsewhere.Uses[2].Key, {},
	}
	for i, k := range keys {
		if slices.Contains(keys[:i], k) {
			t.Errorf("key %d is not its own", i)
		}
	}

	again := parseOne(t, line)
	again.AssignKeys(at(fallback))
	equal(t, "the same place again", again, e)
	again.AssignKeys(at(other))
	equal(t, "identified twice", again, e)
}

func TestIdentifyKeepsIDs(t *testing.T) {
	e := parseOne(t, `{"type":"assistant","uuid":"u","message":{"id":"m","usage":{},"content":[{"type":"tool_use","id":"t"}]}}`)
	e.AssignKeys(at(KeyOf("place")))
	equal(t, "message", e.Message.Key, KeyOf("message", "m"))
	equal(t, "call", e.Uses[0].Key, KeyOf("tool", "t"))
}

func TestKeyOf(t *testing.T) {
	keys := []Key{
		{}, KeyOf(), KeyOf(""), KeyOf("", ""), KeyOf("a", "b", "c"),
		KeyOf("ab", "c"), KeyOf("a", "bc"), KeyOf("abc"), KeyOf("abc", ""),
	}
	for i, k := range keys {
		if slices.Contains(keys[:i], k) {
			t.Errorf("key %d meets another", i)
		}
		equal(t, "zero", k.IsZero(), i == 0)
	}
	equal(t, "again", KeyOf("ab", "c"), keys[5])
}

// at is a place with a key.
func at(place Key) func() Key { return func() Key { return place } }

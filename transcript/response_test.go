package transcript

import (
	"fmt"
	"strings"
	"testing"
)

// The key of a message whose line names its request digests the message id, of any
// length, and the requestRef.
func TestRequestRef(t *testing.T) {
	parse := func(id, ref string) Entry {
		t.Helper()
		e := parseOne(t, fmt.Sprintf(`{"type":"assistant","uuid":"u1","parentUuid":"u0","apiBlockIndex":1,"requestRef":%s,"message":{"id":%s,"content":[{"type":"tool_use","id":"call_0"}],"usage":{}}}`, ref, id))
		e.AssignKeys(func() Key { return KeyOf("place") })
		return e
	}
	seen := make(map[Key]string)
	for _, id := range []string{`"msg_01AAAAAAAAAAAAAAAA"`, `"msg_proxy"`, `"a very long id that a gateway sends with every response, which is longer than most ids are, and is remembered no more"`, `""`} {
		for _, ref := range []string{`"5a285c95-50fa-498c-ba83-d2cd419a5a9f"`, `"r"`} {
			e := parse(id, ref)
			equal(t, "key of "+id+" and "+ref, e.Message.Key, e.Response.Ref)
			equal(t, "same key again", parse(id, ref).Message.Key, e.Message.Key)
			equal(t, "other keys equal to that of "+id+" and "+ref, seen[e.Message.Key], "")
			seen[e.Message.Key] = id + ref
		}
	}
	equal(t, "no id, and null", parse(`null`, `"r"`).Message.Key, parse(`""`, `"r"`).Message.Key)
	for _, none := range []string{`""`, `null`, `7`} {
		e := parse(`"msg_01AAAAAAAAAAAAAAAA"`, none)
		equal(t, "key with the requestRef "+none, e.Message.Key, KeyOf("message", "msg_01AAAAAAAAAAAAAAAA"))
		equal(t, "key of the request", e.Response.Ref, Key{})
	}
	for id, want := range map[string]Key{ // as older versions identified them
		`"msg_01AAAAAAAAAAAAAAAA"`: KeyOf("message", "msg_01AAAAAAAAAAAAAAAA"), `""`: parse(`""`, `null`).Message.Key, `"msg_proxy"`: parse(`"msg_proxy"`, `null`).Message.Key,
	} {
		equal(t, "key without the requestRef", parse(id, `"r"`).Response.Key, want)
	}
}

// The lines of a message with a short id have equal keys of tokens, request and content
// blocks.
func TestResponseNumbers(t *testing.T) {
	response := func(request, block, usage string) Response {
		t.Helper()
		return *parseOne(t, `{"type":"assistant","uuid":"u1","parentUuid":"u0","requestId":`+request+`,"apiBlockIndex":`+block+`,"message":{"id":"msg_proxy","usage":`+usage+`}}`).Response
	}
	first := response(`"r1"`, `0`, `{"input_tokens":1,"cache_read_input_tokens":2,"cache_creation_input_tokens":3,"output_tokens":4}`)
	more := response(`"r1"`, `1`, `{"output_tokens":5,"cache_read_input_tokens":2,"cache_creation_input_tokens":3,"input_tokens":1.5,"cache_creation":{"ephemeral_5m_input_tokens":9}}`)
	other := response(`"r2"`, `"1"`, `{"input_tokens":2,"cache_read_input_tokens":1,"cache_creation_input_tokens":3,"output_tokens":4}`)
	equal(t, "sent", more.Sent, first.Sent)
	equal(t, "request", more.Request, first.Request)
	if more.Counts == first.Counts || other.Sent == first.Sent || other.Counts == first.Counts || other.Request == first.Request {
		t.Errorf("got equal digests: %+v, %+v, %+v", first, more, other)
	}
	equal(t, "numbers that are not stated", response(`null`, `0`, `null`).Counts, response(`7`, `0`, `{"output_tokens":-1}`).Counts)
	equal(t, "no request", response(`null`, `0`, `null`).Request, Key{})
	for index, want := range map[string]BlockIndex{
		`0`: FirstBlock, `-0`: FirstBlock, `-3`: FirstBlock, `1`: LaterBlock, `10`: LaterBlock,
		`null`: NoBlock, `1.0`: NoBlock, `1e1`: NoBlock, `"1"`: NoBlock, `true`: NoBlock, `[1]`: NoBlock,
	} {
		equal(t, "block "+index, response(`null`, index, `{}`).Block, want)
	}
}

// A response is incomplete if its line has a stop reason without details and at most
// one content block, in versions that state them.
func TestIncomplete(t *testing.T) {
	for _, tt := range []struct {
		version, message string
		want             bool
	}{
		{"2.1.260", `"stop_reason":"end_turn"`, true},
		{"2.1.332", `"stop_reason":"tool_use"`, true},
		{"2.2", `"stop_reason":"end_turn"`, true},
		{"10", `"stop_reason":"end_turn"`, true},
		{"2.1.1000", `"stop_reason":"end_turn"`, true},
		{"2.1.332", `"stop_reason":"end_turn","stop_details":null`, false},
		{"2.1.332", `"stop_reason":"end_turn","stop_details":{"type":"refusal"}`, false},
		{"2.1.332", `"stop_reason":null`, false},
		{"2.1.332", `"stop_reason":"end_turn","content":"text"`, true},
		{"2.1.332", `"stop_reason":"end_turn","content":[{"type":"text","text":"x"}]`, true},
		{"2.1.332", `"stop_reason":"end_turn","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"toolu_twelve"}]`, false},
		{"2.1.259", `"stop_reason":"end_turn"`, false},
		{"2.1.97", `"stop_reason":"end_turn"`, false},
		{"2.1", `"stop_reason":"end_turn"`, false},
		{"2.0.300", `"stop_reason":"end_turn"`, false},
		{"1.9.300", `"stop_reason":"end_turn"`, false},
		{"2.1.332-dev", `"stop_reason":"end_turn"`, false},
		{"", `"stop_reason":"end_turn"`, false},
	} {
		e := parseOne(t, fmt.Sprintf(`{"type":"assistant","uuid":"u","version":%q,"message":{"id":"m",%s,"usage":{"output_tokens":1}}}`, tt.version, tt.message))
		equal(t, tt.version+" "+tt.message, e.Message.Incomplete, tt.want)
	}
}

// An id may not be unique if it has less than 20 characters and its message states its
// parent, or if it has less than 12 and names a tool call.
func TestShortIDs(t *testing.T) {
	id := strings.Repeat("é", 20)
	for _, tt := range []struct {
		name, id, parent, tool string
		shortID, hasResponse   bool
	}{
		{"genuine ids", `"msg_01AAAAAAAAAAAAAAAA"`, `"p"`, "toolu_01AAAA", false, false},
		{"20 characters", `"` + id + `"`, `"p"`, "call_0000000", false, false},
		{"19 characters", `"` + id[2:] + `"`, `"p"`, "call_0000000", true, true},
		{"one id for all", `"msg_proxy"`, `"p"`, "call_0000000", true, true},
		{"an empty parent", `"msg_proxy"`, `""`, "call_0000000", true, true},
		{"no parent", `"msg_proxy"`, `null`, "call_0000000", false, false},
		{"a short tool id", `"msg_01AAAAAAAAAAAAAAAA"`, `"p"`, "call_000000", false, true},
		{"an empty tool id", `"msg_01AAAAAAAAAAAAAAAA"`, `"p"`, "", false, true},
		{"no message id", `""`, `"p"`, "call_0", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := parseOne(t, fmt.Sprintf(`{"type":"assistant","uuid":"u","parentUuid":%s,"message":{"id":%s,"content":[{"type":"tool_use","id":%q}],"usage":{}}}`,
				tt.parent, tt.id, tt.tool))
			e.AssignKeys(func() Key { return KeyOf("place") })
			equal(t, "response", e.Response != nil, tt.hasResponse)
			equal(t, "short message id", e.Response != nil && !e.Response.ID.IsZero(), tt.shortID)
			equal(t, "short tool id", !e.Uses[0].ID.IsZero(), len(tt.tool) < 12)
			if e.Response != nil {
				equal(t, "key", e.Message.Key, e.Response.Key)
			}
		})
	}
}

// The lines of a message refer to each other, whether or not they have a usage. Lines
// of another message do not.
func TestResponse(t *testing.T) {
	response := func(uuid, parent, id, stop string) *Response {
		t.Helper()
		e := parseOne(t, fmt.Sprintf(`{"type":"assistant","uuid":%s,"parentUuid":%q,"message":{"id":%q,"stop_reason":%s}}`, uuid, parent, id, stop))
		return e.Response
	}
	first, second := response(`"u1"`, "p", "msg_proxy", "null"), response(`"u2"`, "u1", "msg_proxy", `"end_turn"`)
	again, other := response(`"u3"`, "p", "msg_proxy", "0"), response(`null`, "u1", "resp", "null")
	equal(t, "parent of the second line", second.Parent, first.Line)
	equal(t, "ids", second.ID, first.ID)
	equal(t, "ends", []bool{first.Final, second.Final, again.Final}, []bool{false, true, false})
	equal(t, "key of a copy", again.Key, first.Key)
	equal(t, "line without a uuid", other.Line, Key{})
	if second.Key == first.Key || other.Parent == first.Line || other.ID == first.ID {
		t.Errorf("got equal keys: %+v, %+v, %+v", first, second, other)
	}
}

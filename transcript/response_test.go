package transcript

import (
	"fmt"
	"strings"
	"testing"
)

// An id that may not be unique is one of less than 20 characters of a message that
// states its parent, or of less than 12 of a tool call.
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

// The lines of a message refer to each other, whether or not they have a usage. Those
// of another message do not.
func TestResponse(t *testing.T) {
	response := func(uuid, parent, id, stop string) *Response {
		t.Helper()
		e := parseOne(t, fmt.Sprintf(`{"type":"assistant","uuid":%s,"parentUuid":%q,"message":{"id":%q,"stop_reason":%s}}`, uuid, parent, id, stop))
		return e.Response
	}
	one, two := response(`"u1"`, "p", "msg_proxy", "null"), response(`"u2"`, "u1", "msg_proxy", `"end_turn"`)
	again, other := response(`"u3"`, "p", "msg_proxy", "0"), response(`null`, "u1", "resp", "null")
	equal(t, "parent of the second line", two.Parent, one.Line)
	equal(t, "ids", two.ID, one.ID)
	equal(t, "ends", []bool{one.Final, two.Final, again.Final}, []bool{false, true, false})
	equal(t, "key of a copy", again.Key, one.Key)
	equal(t, "line without a uuid", other.Line, Key{})
	if two.Key == one.Key || other.Parent == one.Line || other.ID == one.ID {
		t.Errorf("got equal keys: %+v, %+v, %+v", one, two, other)
	}
}

package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// unknownOf formats Entry.Unknown in one line.
func unknownOf(e *Entry) string {
	var items []string
	for _, item := range e.Unknown {
		items = append(items, item.Kind+"="+item.Name)
	}
	return strings.Join(items, " ")
}

func TestUnknownTypes(t *testing.T) {
	const none = "=" + NotIdentifier
	for line, want := range map[string]string{
		`{"type":"brand-new"}`: "metadata_type=brand-new",
		`{"type":"unknown"}`:   "metadata_type=unknown",
		`{"type":"User"}`:      "metadata_type=User",
		`{"Type":"user"}`:      "metadata_type" + none,
		`{}`:                   "metadata_type" + none,
		`{"type":7}`:           "metadata_type" + none,
		`{"type":"a secret"}`:  "metadata_type" + none,
		`{"type":"new","message":"text","usage":3,"content":"tool_use"}`:                       "metadata_type=new",
		`{"type":"new","message":null,"content":[{"type":"text"},{"text":"tool_use"},1,null]}`: "metadata_type=new",
		`{"type":"new","data":{"message":{},"usage":{}}}`:                                      "metadata_type=new",

		`{"type":"new","message":{}}`:                                     "type=new",
		`{"message":{},"type":"new"}`:                                     "type=new",
		`{"message":{"usage":{}}}`:                                        "type" + none,
		`{"type":"new","usage":{}}`:                                       "type=new",
		`{"type":"new","content":[{"type":"text"},{"type":"tool_use"}]}`:  "type=new",
		`{"type":"new","content":[{"type":"x_tool_result"}]}`:             "type=new",
		`{"type":"new_tool_result"}`:                                      "type=new_tool_result",
		`{"type":"tool_use"}`:                                             "type=tool_use",
		`{"type":"cost-state","usage":{},"message":{}}`:                   "",
		`{"type":"progress","message":{"usage":{}}}`:                      "",
		`{"type":"api-request-blob","message":{"usage":{},"content":[]}}`: "",
		`{"type":"system","subtype":"model_fallback","usage":{}}`:         "",
		`{"type":"system","subtype":"init","message":{},"usage":{}}`:      "",
		`{"type":"system","subtype":"brand_new"}`:                         "subtype=brand_new",
		`{"type":"system","subtype":7}`:                                   "subtype" + none,
		`{"type":"system"}`:                                               "subtype" + none,
		`{"type":"system","subtype":"brand_new","usage":{}}`:              "type=system/brand_new",
		`{"type":"system","subtype":"brand_new","message":{}}`:            "type=system/brand_new",
		`{"type":"system","subtype":"a b","message":{}}`:                  "type" + none,
		`{"type":"attachment","attachment":{"type":"new"},"subtype":"x"}`: "",
	} {
		e := parseOne(t, line)
		equal(t, line, unknownOf(&e), want)
	}
}

func TestUnknownBlocks(t *testing.T) {
	for _, tt := range []struct{ typ, block, want string }{
		{"assistant", `"tool_use"`, ""},
		{"assistant", `"server_tool_use"`, ""},
		{"assistant", `"mcp_tool_use"`, ""},
		{"assistant", `"tool_result"`, ""},
		{"assistant", `"web_search_tool_result"`, ""},
		{"assistant", `"thought"`, ""},
		{"assistant", `"tool_use_2"`, ""},
		{"assistant", `"x_tool_use"`, "block=x_tool_use"},
		{"assistant", `"x\u005ftool_use"`, "block=x_tool_use"},
		{"assistant", `"my tool_use"`, "block=" + NotIdentifier},
		{"user", `"tool_use"`, ""},
		{"user", `"tool_result"`, ""},
		{"user", `"x_tool_use"`, "block=x_tool_use"},
		{"user", `"web_search_tool_result"`, "block=web_search_tool_result"},
		{"mode", `"x_tool_use"`, ""},
	} {
		e := parseOne(t, `{"type":"`+tt.typ+`","message":{"content":[{"type":`+tt.block+`},{"type":`+tt.block+`}]}}`)
		equal(t, tt.typ+" with "+tt.block, unknownOf(&e), tt.want)
	}
}

// Only unknown keys whose values contain numbers are recorded.
func TestUnknownUsage(t *testing.T) {
	for usage, want := range map[string]string{
		`"fallback_credit":5,"service_tier":1,"inference_geo":2,"speed":3`: "",
		`"new":"12","newer":null,"newest":true,"other":{"a":["1",{}]}`:     "",
		`"new":1`:                             "usage_key=new",
		`"new":0`:                             "usage_key=new",
		`"new":-1e3`:                          "usage_key=new",
		`"new":[0.5]`:                         "usage_key=new",
		`"new":{"a":[null,{"b\"1":{"c":7}}]}`: "usage_key=new",
		`"n\u0065w":1`:                        "usage_key=new",
		`"new":1,"new":1`:                     "usage_key=new",
		`"new":1,"new":"x"`:                   "",
		`"new":"x","new":1`:                   "usage_key=new",
		`"new":1,"newer":"x"`:                 "usage_key=new",
		`"new":1,"fallback_credit":5,"speed":3,"iterations":[{"a":1}],"server_tool_use":{"web_search_requests":1}`: "usage_key=new",
		`"b":1,"c":"x","a":1`:       "usage_key=b usage_key=a",
		`"two words":1,"é":2,"":3`:  "usage_key=" + NotIdentifier,
		"\"\xff\":1,\"\xfe\":\"x\"": "", // both decode to U+FFFD

		`"cache_creation":{"new":"x"}`:                      "",
		`"cache_creation":{"new":1}`:                        "usage_key=cache_creation.new",
		`"cache_creation":{"new":1},"cache_creation":{}`:    "",
		`"server_tool_use":{"web_search_requests":1,"x":2}`: "usage_key=server_tool_use.x",
		`"output_tokens_details":{"x":{"y":1}}`:             "usage_key=output_tokens_details.x",

		`"cache_creation":{"ephemeral_1h_input_tokens":1e99}`: "usage_key=cache_creation.ephemeral_1h_input_tokens",
		`"cache_creation_input_tokens":1e99`:                  "usage_key=cache_creation_input_tokens",
		`"server_tool_use":{"web_fetch_requests":1e99}`:       "usage_key=server_tool_use.web_fetch_requests",
		`"output_tokens_details":{"thinking_tokens":1e99}`:    "usage_key=output_tokens_details.thinking_tokens",

		`"iterations":[{"type":"message","new":1},{"type":"advisor_message"},{"type":"compaction"},{"type":null},{},1,"new"]`: "",
		`"iterations":[{"type":"message"},{"type":"new"},{"type":"newer"},{"type":"new"}]`:                                    "iteration=new iteration=newer",
		`"iterations":[{"type":7}]`:          "iteration=" + NotIdentifier,
		`"iterations":{"type":"new"}`:        "",
		`"iterations":[{"type":"n\u0065w"}]`: "iteration=new",
	} {
		line := `{"type":"assistant","message":{"model":"x","usage":{` + usage + `}}}`
		e := parseOne(t, line)
		equal(t, usage, unknownOf(&e), want)
		e = parseOne(t, strings.Replace(line, `"x"`, `"<synthetic>"`, 1))
		equal(t, "synthetic "+usage, unknownOf(&e), "")
	}
}

func TestUnknownErrorClass(t *testing.T) {
	for class, want := range map[string]string{
		`"model_not_found"`: "", `"oauth_org_not_allowed"`: "", `"rate_limit"`: "", `""`: "", `7`: "",
		`"account_on_hold"`: "", `"verification_required"`: "", `"cloud_credential_error"`: "",
		`"new_error"`:             "error=new_error",
		`"You are out of tokens"`: "error=" + NotIdentifier,
	} {
		e := parseOne(t, `{"type":"assistant","isApiErrorMessage":true,"error":`+class+`,"message":{"model":"<synthetic>"}}`)
		equal(t, class, unknownOf(&e), want)
	}
}

// Names that are not identifiers are replaced, and the number of names is limited per
// kind.
func TestUnknownNamesAreBounded(t *testing.T) {
	for name, want := range map[string]bool{
		"": false, "a": true, "A-z_0.9:/x": true, strings.Repeat("x", 64): true, strings.Repeat("x", 65): false,
		"a b": false, "a\n": false, "é": false, "a@b": false, "\x00": false, "{": false, "[": false, "`": false, "a\x7f": false,
	} {
		equal(t, fmt.Sprintf("%q is an identifier", name), isIdentifier(name), want)
	}
	numbered := func(n int, separator, format string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(format, i))
		}
		return strings.Join(all, separator)
	}
	e := parseOne(t, `{"type":"assistant","message":{"stop_reason":"new","usage":{"iterations":[{"type":"new"}],`+numbered(100, ",", `"k%02d":1`)+`}}}`)
	equal(t, "unknown", unknownOf(&e), numbered(8, " ", "usage_key=k%02d")+" iteration=new stop_reason=new")
	e = parseOne(t, `{"type":"user","message":{"content":[`+numbered(20, ",", `{"type":"b%02d_tool_use"}`)+`]}}`)
	equal(t, "blocks", unknownOf(&e), numbered(8, " ", "block=b%02d_tool_use"))
}

func TestAlarmingKinds(t *testing.T) {
	for _, kind := range UnknownKinds {
		equal(t, kind, slices.Contains(AlarmingKinds, kind), kind != "metadata_type" && kind != "subtype")
	}
	equal(t, "kinds", len(UnknownKinds), 8)
}

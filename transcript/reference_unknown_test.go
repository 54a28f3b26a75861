package transcript

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var refIdentifier = regexp.MustCompile(`^[A-Za-z0-9_.:/-]{1,64}$`)

// refNote records an unknown part of an entry: at most eight names of a kind.
func refNote(e *Entry, kind, name string) {
	if !refIdentifier.MatchString(name) {
		name = NotIdentifier
	}
	ofKind := 0
	for _, item := range e.Unknown {
		if item.Kind == kind {
			ofKind++
		}
	}
	if item := (UnknownItem{Kind: kind, Name: name}); ofKind < 8 && !slices.Contains(e.Unknown, item) {
		e.Unknown = append(e.Unknown, item)
	}
}

// refUnknownType records a type or subtype under its kind, or under "type" if the entry
// may hold something to be counted.
func refUnknownType(e *Entry, o refObject, kind, name, countableName string) {
	if refCountable(o) {
		kind, name = "type", countableName
	}
	refNote(e, kind, name)
}

func refCountable(o refObject) bool {
	return o.object("message") != nil || o.object("usage") != nil || refToolBlock(o) ||
		slices.ContainsFunc(refObjects(o["content"]), refToolBlock)
}

func refToolBlock(o refObject) bool {
	return strings.HasSuffix(o.str("type"), "tool_use") || strings.HasSuffix(o.str("type"), "tool_result")
}

// refUnknownBlocks records the tool calls and results of unknown types. All types of
// results are known in assistant entries, one type in user entries.
func refUnknownBlocks(e *Entry, blocks []refObject) {
	for _, b := range blocks {
		typ := b.str("type")
		known := slices.Contains([]string{"tool_use", "server_tool_use", "mcp_tool_use", "tool_result"}, typ) ||
			e.Type == "assistant" && strings.HasSuffix(typ, "tool_result")
		if refToolBlock(b) && !known {
			refNote(e, "block", typ)
		}
	}
}

// refUnknownUsage records the keys that may hold something to be counted.
func refUnknownUsage(e *Entry, usage json.RawMessage) {
	refNumbers(e, usage, "", `input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens cache_creation
		output_tokens_details server_tool_use iterations service_tier inference_geo speed fallback_credit`)
	o, _ := refAs[refObject](usage, '{')
	refNumbers(e, o["cache_creation"], "cache_creation.", "ephemeral_5m_input_tokens ephemeral_1h_input_tokens")
	refNumbers(e, o["server_tool_use"], "server_tool_use.", "web_search_requests web_fetch_requests")
	refNumbers(e, o["output_tokens_details"], "output_tokens_details.", "thinking_tokens")
}

// refNumbers records which of the first eight unknown keys hold numbers.
func refNumbers(e *Entry, object json.RawMessage, prefix, known string) {
	values, _ := refAs[refObject](object, '{')
	keys := slices.DeleteFunc(refKeys(object), func(key string) bool {
		return slices.Contains(strings.Fields(known), key)
	})
	for _, key := range keys[:min(8, len(keys))] {
		if refHasNumber(values[key]) {
			refNote(e, "usage_key", prefix+key)
		}
	}
}

func refHasNumber(value json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		if _, ok := token.(json.Number); ok {
			return true
		}
	}
}

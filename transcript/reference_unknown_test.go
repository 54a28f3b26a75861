package transcript

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var refIdentifier = regexp.MustCompile(`^[A-Za-z0-9_.:/-]{1,64}$`)

// plainNote notes what is not known: eight names of a kind at most.
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

func refUnknownType(e *Entry, o refObject) {
	kind := "metadata_type"
	if refCountable(o) {
		kind = "type"
	}
	refNote(e, kind, o.str("type"))
}

func refUnknownSubtype(e *Entry, o refObject) {
	if refCountable(o) {
		refNote(e, "type", "system/"+o.str("subtype"))
	} else {
		refNote(e, "subtype", o.str("subtype"))
	}
}

func refCountable(o refObject) bool {
	return o.object("message") != nil || o.object("usage") != nil || refToolBlock(o) ||
		slices.ContainsFunc(refObjects(o["content"]), refToolBlock)
}

func refToolBlock(o refObject) bool {
	return strings.HasSuffix(o.str("type"), "tool_use") || strings.HasSuffix(o.str("type"), "tool_result")
}

// plainUnknownBlocks notes the calls and results that are not read. Any type of result
// is read of an assistant's entry, and only one of a user's.
func refUnknownBlocks(e *Entry, blocks []refObject) {
	for _, b := range blocks {
		typ := b.str("type")
		read := slices.Contains([]string{"tool_use", "server_tool_use", "mcp_tool_use", "tool_result"}, typ) ||
			e.Type == "assistant" && strings.HasSuffix(typ, "tool_result")
		if refToolBlock(b) && !read {
			refNote(e, "block", typ)
		}
	}
}

// plainUnknownUsage notes the keys that may hold something to be counted.
func refUnknownUsage(e *Entry, usage json.RawMessage) {
	refNumbers(e, usage, "", `input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens cache_creation
		output_tokens_details server_tool_use iterations service_tier inference_geo speed fallback_credit`)
	o, _ := refAs[refObject](usage, '{')
	refNumbers(e, o["cache_creation"], "cache_creation.", "ephemeral_5m_input_tokens ephemeral_1h_input_tokens")
	refNumbers(e, o["server_tool_use"], "server_tool_use.", "web_search_requests web_fetch_requests")
	refNumbers(e, o["output_tokens_details"], "output_tokens_details.", "thinking_tokens")
}

// plainNumbers notes which of the first eight keys that are not known hold numbers.
func refNumbers(e *Entry, object json.RawMessage, prefix, known string) {
	values, ok := refAs[refObject](object, '{')
	if !ok {
		return
	}
	var keys []string
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token()
	for d.More() {
		token, _ := d.Token()
		key, _ := token.(string)
		if !slices.Contains(keys, key) && !slices.Contains(strings.Fields(known), key) {
			keys = append(keys, key)
		}
		var value json.RawMessage
		_ = d.Decode(&value)
	}
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

func refUnknownIterations(e *Entry, usage refObject) {
	for _, one := range refObjects(usage["iterations"]) {
		typ := one.str("type")
		if !refIsNull(one["type"]) && typ != "message" && typ != "advisor_message" && typ != "compaction" {
			refNote(e, "iteration", typ)
		}
	}
}

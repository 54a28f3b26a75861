package transcript

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var plainIdentifier = regexp.MustCompile(`^[A-Za-z0-9_.:/-]{1,64}$`)

// plainNote notes what is not known: eight names of a kind at most.
func plainNote(e *Entry, kind, name string) {
	if !plainIdentifier.MatchString(name) {
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

func plainUnknownType(e *Entry, o plainObject) {
	kind := "metadata_type"
	if plainCountable(o) {
		kind = "type"
	}
	plainNote(e, kind, o.str("type"))
}

func plainUnknownSubtype(e *Entry, o plainObject) {
	if plainCountable(o) {
		plainNote(e, "type", "system/"+o.str("subtype"))
	} else {
		plainNote(e, "subtype", o.str("subtype"))
	}
}

func plainCountable(o plainObject) bool {
	return o.object("message") != nil || o.object("usage") != nil || plainToolBlock(o) ||
		slices.ContainsFunc(plainObjects(o["content"]), plainToolBlock)
}

func plainToolBlock(o plainObject) bool {
	return strings.HasSuffix(o.str("type"), "tool_use") || strings.HasSuffix(o.str("type"), "tool_result")
}

// plainUnknownBlocks notes the calls and results that are not read. Any type of result
// is read of an assistant's entry, and only one of a user's.
func plainUnknownBlocks(e *Entry, blocks []plainObject) {
	for _, b := range blocks {
		typ := b.str("type")
		read := slices.Contains([]string{"tool_use", "server_tool_use", "mcp_tool_use", "tool_result"}, typ) ||
			e.Type == "assistant" && strings.HasSuffix(typ, "tool_result")
		if plainToolBlock(b) && !read {
			plainNote(e, "block", typ)
		}
	}
}

// plainUnknownUsage notes the keys that may hold something to be counted.
func plainUnknownUsage(e *Entry, usage json.RawMessage) {
	plainNumbers(e, usage, "", `input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens cache_creation
		output_tokens_details server_tool_use iterations service_tier inference_geo speed fallback_credit`)
	o, _ := plainAs[plainObject](usage, '{')
	plainNumbers(e, o["cache_creation"], "cache_creation.", "ephemeral_5m_input_tokens ephemeral_1h_input_tokens")
	plainNumbers(e, o["server_tool_use"], "server_tool_use.", "web_search_requests web_fetch_requests")
	plainNumbers(e, o["output_tokens_details"], "output_tokens_details.", "thinking_tokens")
}

// plainNumbers notes which of the first eight keys that are not known hold numbers.
func plainNumbers(e *Entry, object json.RawMessage, prefix, known string) {
	values, ok := plainAs[plainObject](object, '{')
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
		if plainHasNumber(values[key]) {
			plainNote(e, "usage_key", prefix+key)
		}
	}
}

func plainHasNumber(value json.RawMessage) bool {
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

func plainUnknownIterations(e *Entry, usage plainObject) {
	for _, one := range plainObjects(usage["iterations"]) {
		typ := one.str("type")
		if !plainIsNull(one["type"]) && typ != "message" && typ != "advisor_message" && typ != "compaction" {
			plainNote(e, "iteration", typ)
		}
	}
}

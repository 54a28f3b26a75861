package api

import (
	"encoding/json"
	"fmt"
	"maps"
)

// An event is an event in the stream of an answer. Its place is its name and, if it is
// about a block, the block's index.
type event struct {
	name, place string
	data        map[string]any
}

// message returns the complete answer.
func (r Reply) message(id, model string, usage map[string]any) map[string]any {
	m := map[string]any{
		"id": id, "type": "message", "role": "assistant", "model": model, "content": r.Blocks,
		"stop_reason": r.stop(), "stop_sequence": nil, "usage": usage,
	}
	if r.NoID {
		delete(m, "id")
	}
	return m
}

// events returns the stream of a message. Its first event has the usage start.
func (r Reply) events(message, start map[string]any) (all []event) {
	add := func(name string, data map[string]any) {
		data["type"] = name
		place := name
		if index, ok := data["index"]; ok {
			place = fmt.Sprint(name, " ", index)
		}
		all = append(all, event{name, place, data})
	}
	first := maps.Clone(message)
	first["content"], first["stop_reason"], first["usage"] = []any{}, nil, start
	add("message_start", map[string]any{"message": first})
	for i, b := range r.Blocks {
		empty, deltas := b.split()
		add("content_block_start", map[string]any{"index": i, "content_block": empty})
		for _, d := range deltas {
			add("content_block_delta", map[string]any{"index": i, "delta": d})
		}
		add("content_block_stop", map[string]any{"index": i})
	}
	delta := map[string]any{"stop_reason": r.stop(), "stop_sequence": nil}
	if r.StopDetails != nil {
		delta["stop_details"] = r.StopDetails
	}
	add("message_delta", map[string]any{"delta": delta, "usage": message["usage"]})
	add("message_stop", map[string]any{})
	return all
}

// split returns the block in content_block_start, and its deltas.
func (b Block) split() (empty Block, deltas []map[string]any) {
	empty = maps.Clone(b)
	switch b.Type() {
	case "text":
		empty["text"] = ""
		deltas = []map[string]any{{"type": "text_delta", "text": b["text"]}}
	case "thinking":
		empty["thinking"], empty["signature"] = "", ""
		deltas = []map[string]any{
			{"type": "thinking_delta", "thinking": b["thinking"]},
			{"type": "signature_delta", "signature": "c2lnbmF0dXJl"},
		}
	case toolUse, "server_tool_use":
		input, err := json.Marshal(b["input"])
		if err != nil {
			input = []byte("{}")
		}
		empty["input"] = map[string]any{}
		deltas = []map[string]any{{"type": "input_json_delta", "partial_json": string(input)}}
	}
	return empty, deltas
}

// bytes returns the event as it is sent.
func (e event) bytes() ([]byte, error) {
	data, err := json.Marshal(e.data)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", e.place, err)
	}
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", e.name, data), nil
}

package naive

import (
	"encoding/json"
	"math"
	"strings"
	"time"
	"unicode"
)

// An Entry is an entry as encoding/json decodes it, with numbers as [json.Number].
type Entry map[string]any

// At returns the value of a member of a member, and so on, nil if there is none.
func (e Entry) At(names ...string) any { return member(map[string]any(e), names...) }

// Text is At for a string, "" for any other value.
func (e Entry) Text(names ...string) string { return text(e.At(names...)) }

// Number is At for a number, 0 for any other value.
func (e Entry) Number(names ...string) float64 {
	n, _ := e.At(names...).(json.Number)
	f, _ := n.Float64()
	return f
}

// Count is At for a number without its fraction, 0 for any value that is no count.
func (e Entry) Count(names ...string) float64 {
	if n := math.Trunc(max(0, e.Number(names...))); n <= 1<<53 {
		return n
	}
	return 0
}

// Objects returns the objects of the list that At returns.
func (e Entry) Objects(names ...string) (all []Entry) {
	list, _ := e.At(names...).([]any)
	for _, item := range list {
		if o, ok := item.(map[string]any); ok {
			all = append(all, o)
		}
	}
	return all
}

// Blocks returns the content blocks of a message. A string is a block of text.
func (e Entry) Blocks() (blocks []Entry) {
	content := e.At("message", "content")
	if isText(content) {
		content = []any{content}
	}
	list, _ := content.([]any)
	for _, item := range list {
		switch b := item.(type) {
		case string:
			blocks = append(blocks, Entry{"type": "text", "text": b})
		case map[string]any:
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// Calls returns the blocks that call a tool.
func (e Entry) Calls() (calls []Entry) {
	for _, b := range e.Objects("message", "content") {
		switch b.Text("type") {
		case "tool_use", "server_tool_use", "mcp_tool_use":
			calls = append(calls, b)
		}
	}
	return calls
}

func (e Entry) hasResult() bool {
	for _, b := range e.Objects("message", "content") {
		if strings.HasSuffix(b.Text("type"), "tool_result") {
			return true
		}
	}
	return false
}

func member(v any, names ...string) any {
	for _, name := range names {
		switch o := v.(type) {
		case Entry:
			v = o[name]
		case map[string]any:
			v = o[name]
		default:
			return nil
		}
	}
	return v
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

func isNumber(v any) bool {
	_, ok := v.(json.Number)
	return ok
}

// isSet reports whether a value is neither null, false, zero nor empty.
func isSet(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

func trimText(s string) string {
	return strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f })
}

// ParseTime parses the time of an entry, in milliseconds since the epoch. It returns 0
// if there is none, or if it is before 2020.
func ParseTime(s string) int64 {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.UnixMilli() < earliest {
		return 0
	}
	return t.Round(time.Millisecond).UnixMilli()
}

// earliest is the beginning of 2020.
var earliest = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

// A set has the keys of counted objects.
type set map[string]bool

// first adds a key of joined parts, and reports whether it is new.
func (s set) first(parts ...string) bool { return s.firstOf(strings.Join(parts, "\x00")) }

// firstOf adds several keys of one thing, and reports whether all are new.
func (s set) firstOf(keys ...string) bool {
	isNew := true
	for _, key := range keys {
		isNew = isNew && !s[key]
		s[key] = true
	}
	return isNew
}

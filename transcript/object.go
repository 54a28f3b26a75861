package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An object is a JSON object whose values are not decoded yet. It is a map and
// not a struct because encoding/json matches the fields of structs whatever
// their letter case, and gives up a whole struct for one field of another type.
// The nil object has no keys.
type object map[string]json.RawMessage

// parseObject reads b if it is one JSON object and nothing else.
func parseObject(b []byte) (object, bool) {
	var o object
	if len(b) == 0 || b[0] != '{' || json.Unmarshal(b, &o) != nil {
		return nil, false
	}
	return o, true
}

// parseString reads a JSON string; ok is false for any other value.
func parseString(raw json.RawMessage) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), true // nothing to decode
	}
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// parseList reads a JSON array; it is nil for any other value.
func parseList(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// maxCount is the largest number taken for a count: up to here a reader that
// knows only doubles, which many writers of JSON are, keeps it exact.
const maxCount = 1 << 53

// parseCount reads a count: fractions are cut off, and what is not a number or
// is below zero counts as 0. A number beyond maxCount is 0 and not ok.
func parseCount(raw json.RawMessage) (n uint64, ok bool) {
	if !isNumber(raw) {
		return 0, true
	}
	n, err := strconv.ParseUint(string(raw), 10, 64)
	if err != nil {
		f, _ := strconv.ParseFloat(string(raw), 64) // out of range is ±Inf
		n = uint64(min(max(f, 0), 2*maxCount))
	}
	if n > maxCount {
		return 0, false
	}
	return n, true
}

// parseScalar returns a string or a number as it stands in a label.
func parseScalar(raw json.RawMessage) (s string, ok bool) {
	if isNumber(raw) {
		return Clean(string(raw)), true
	}
	s, ok = parseString(raw)
	return Clean(s), ok
}

func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9')
}

func isInteger(raw json.RawMessage) bool {
	return isNumber(raw) && !strings.ContainsAny(string(raw), ".eE")
}

// isNull reports whether raw is null or absent.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || raw[0] == 'n' }

// truthy reports whether raw says anything: absent, null, false, zero and what
// is empty do not.
func truthy(raw json.RawMessage) bool {
	switch {
	case isNull(raw) || raw[0] == 'f':
		return false
	case isNumber(raw):
		f, _ := strconv.ParseFloat(string(raw), 64) // out of range is ±Inf: not zero
		return f != 0
	case raw[0] == 't':
		return true
	}
	inside := raw[1 : len(raw)-1]
	if raw[0] == '"' {
		return len(inside) > 0
	}
	return strings.TrimSpace(string(inside)) != ""
}

// str returns the string at key, "" when there is none.
func (o object) str(key string) string {
	s, _ := parseString(o[key])
	return s
}

// is reports whether the value at key is exactly the string want.
func (o object) is(key, want string) bool { return o.str(key) == want }

// isTrue reports whether the value at key is exactly true.
func (o object) isTrue(key string) bool { return string(o[key]) == "true" }

// count returns the count at key, 0 when there is none that can be true.
func (o object) count(key string) uint64 {
	n, _ := parseCount(o[key])
	return n
}

// object returns the object at key, nil when there is none.
func (o object) object(key string) object {
	inner, _ := parseObject(o[key])
	return inner
}

// objects returns those elements of the array at key that are objects.
func (o object) objects(key string) []object {
	var out []object
	for _, raw := range parseList(o[key]) {
		if element, ok := parseObject(raw); ok {
			out = append(out, element)
		}
	}
	return out
}

// blocks returns the content of a message as blocks: a string, alone or in a
// list, is a block of type "text"; what is neither string nor object is left out.
func (o object) blocks() []object {
	content := o["content"]
	if _, ok := parseString(content); ok {
		return []object{textBlock(content)}
	}
	var out []object
	for _, raw := range parseList(content) {
		if block, ok := parseObject(raw); ok {
			out = append(out, block)
		} else if _, ok := parseString(raw); ok {
			out = append(out, textBlock(raw))
		}
	}
	return out
}

func textBlock(text json.RawMessage) object {
	return object{"type": json.RawMessage(`"text"`), "text": text}
}

// joinText returns the texts of the blocks of type "text", a space between them.
func joinText(blocks []object) string {
	var texts []string
	for _, b := range blocks {
		if b.is("type", "text") {
			texts = append(texts, b.str("text"))
		}
	}
	return strings.Join(texts, " ")
}

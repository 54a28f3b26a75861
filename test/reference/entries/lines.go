package entries

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
)

// An Object is a JSON object whose members are not decoded yet.
type Object = map[string]json.RawMessage

// Objects returns the JSON objects in a transcript. A line with several of them, or
// with a torn one before a complete one, gives those that are complete. The last line
// counts without its newline only if it is one complete object.
func Objects(content []byte) []Object {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	var all []Object
	for len(content) > 0 {
		line, rest, ended := bytes.Cut(content, []byte("\n"))
		content = rest
		line = bytes.Trim(line, "\x00 \t\r\n")
		if len(line) == 0 {
			continue
		}
		if o := decodeObject(line); o != nil {
			all = append(all, o)
		} else if ended && !json.Valid(line) {
			all = append(all, salvage(line)...)
		}
	}
	return all
}

// decodeObject returns nil unless the text is exactly one object.
func decodeObject(text []byte) Object {
	var o Object
	if json.Unmarshal(text, &o) != nil {
		return nil
	}
	return o
}

// start matches the beginning of an entry.
var start = regexp.MustCompile(`\{"(?:parentUuid|type|uuid|isSidechain|sessionId|messageId|operation)"`)

// salvage returns the complete objects at the beginning of a malformed line, and the
// complete entry at its end.
func salvage(line []byte) []Object {
	all, at := leading(line)
	if len(all) > 0 && at >= len(line) {
		return all
	}
	at = max(at, 1)
	for _, match := range start.FindAllIndex(line[at:], -1) {
		if o := decodeObject(line[at+match[0]:]); isEntry(o) {
			return append(all, o)
		}
	}
	return all
}

// leading returns the complete objects at the beginning of a line, and where they end.
func leading(line []byte) (all []Object, at int) {
	for at < len(line) {
		decoder := json.NewDecoder(bytes.NewReader(line[at:]))
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return all, at
		}
		at += int(decoder.InputOffset())
		o := decodeObject(value)
		if o == nil {
			return all, at
		}
		all = append(all, o)
		for at < len(line) && bytes.IndexByte([]byte(" \t\r\x00"), line[at]) >= 0 {
			at++
		}
	}
	return all, at
}

// isEntry reports whether an object at the end of a torn line is an entry of its own.
func isEntry(o Object) bool {
	if _, ok := Decode(o["type"]).(string); !ok {
		return false
	}
	return o["sessionId"] != nil || o["leafUuid"] != nil || o["messageId"] != nil
}

// Decode returns a value as encoding/json does, with numbers as json.Number. It is nil
// if there is none.
func Decode(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return value
}

package naive

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// entriesIn returns the JSON objects in a transcript. A line with several objects, or
// with a torn object before a complete object, gives its complete objects. The last
// line counts without its newline only if it is a single complete object.
func entriesIn(content []byte) (all []Entry) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	for len(content) > 0 {
		line, rest, ended := bytes.Cut(content, []byte("\n"))
		content = rest
		line = bytes.Trim(line, "\x00 \t\r\n")
		if e, n := decode(line); e != nil && n == len(line) {
			all = append(all, e)
		} else if ended && len(line) > 0 && !json.Valid(line) {
			all = append(all, salvage(line)...)
		}
	}
	return all
}

// decode returns the object at the beginning of a text, with numbers as [json.Number],
// and its length. It returns nil if there is none.
func decode(text []byte) (e Entry, n int) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&e) != nil {
		return nil, 0
	}
	return e, int(decoder.InputOffset())
}

// start matches the beginning of an entry.
var start = regexp.MustCompile(`\{"(?:parentUuid|type|uuid|isSidechain|sessionId|messageId|operation)"`)

// salvage returns the complete objects at the beginning of a malformed line, and the
// complete entry at its end.
func salvage(line []byte) (all []Entry) {
	at := 0
	for at < len(line) {
		e, n := decode(line[at:])
		if e == nil {
			break
		}
		all, at = append(all, e), at+n
		at = len(line) - len(bytes.TrimLeft(line[at:], " \t\r\x00"))
	}
	if len(all) > 0 && at >= len(line) {
		return all
	}
	at = max(at, 1)
	for _, match := range start.FindAllIndex(line[at:], -1) {
		text := line[at+match[0]:]
		if e, n := decode(text); n == len(text) && isEntry(e) {
			return append(all, e)
		}
	}
	return all
}

// isEntry reports whether an object at the end of a torn line is an entry of its own.
func isEntry(e Entry) bool {
	has := func(name string) bool { _, ok := e[name]; return ok }
	return isText(e["type"]) && (has("sessionId") || has("leafUuid") || has("messageId"))
}

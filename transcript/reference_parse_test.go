package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

// refUTF16 reports whether a line begins with an object in UTF-16.
func refUTF16(line []byte) bool {
	before, after, _ := strings.Cut(string(line), "{")
	switch strings.TrimRight(before, "\x00") {
	case "", "\xff\xfe", "\xfe\xff", "\xff\xfe\xfe\xff":
		return strings.HasPrefix(after, "\x00\"\x00")
	}
	return false
}

// refParse does the same as Parse. Without search, it omits the last record of a torn
// line, as Parse does when the search exceeds its limit.
func refParse(line []byte, first, search bool) reading {
	line = refTrim(line, first)
	if len(line) == 0 {
		return reading{}
	}
	if o, ok := refAs[refObject](line, '{'); ok {
		return reading{Entries: []Entry{refEntry(o)}}
	}
	if json.Valid(line) {
		return reading{Problem: NotObject}
	}
	entries, pos := refLeading(line)
	if len(entries) > 0 && pos == len(line) {
		return reading{entries, Glued}
	}
	if e, ok := refTrailing(line[max(pos, 1):]); ok && search {
		return reading{append(entries, e), Torn}
	}
	if len(entries) > 0 {
		return reading{entries, Torn}
	}
	if refUTF16(line) {
		return reading{Problem: UTF16}
	}
	return reading{Problem: Garbage}
}

// refParseTail does the same as ParseTail.
func refParseTail(line []byte, first bool) (e Entry, ok bool) {
	o, ok := refAs[refObject](refTrim(line, first), '{')
	if !ok {
		return Entry{}, false
	}
	return refEntry(o), true
}

func refTrim(line []byte, first bool) []byte {
	if first {
		line = bytes.TrimPrefix(line, []byte(bom))
	}
	return bytes.Trim(line, padding)
}

// refLeading reads the objects that a line begins with, and returns where they end.
func refLeading(line []byte) (entries []Entry, pos int) {
	for pos < len(line) && len(entries) < maxEntries {
		n, ok := refEnd(line[pos:])
		if !ok {
			break
		}
		o, ok := refAs[refObject](line[pos:pos+n], '{')
		if pos += n; !ok {
			break
		}
		entries = append(entries, refEntry(o))
		for pos < len(line) && strings.IndexByte(gap, line[pos]) >= 0 {
			pos++
		}
	}
	return entries, pos
}

// refTrailing reads the longest record that ends with the line.
func refTrailing(line []byte) (Entry, bool) {
	for i := range line {
		if !startsRecord(line[i:]) {
			continue
		}
		if o, ok := refAs[refObject](line[i:], '{'); ok && refIsRecord(o) {
			return refEntry(o), true
		}
	}
	return Entry{}, false
}

// refIsRecord reports whether an object has the members of every entry of a session.
func refIsRecord(o refObject) bool {
	_, isString := refString(o["type"])
	_, session := o["sessionId"]
	_, leaf := o["leafUuid"]
	_, message := o["messageId"]
	return isString && (session || leaf || message)
}

// refEnd finds the end of the JSON value that b begins with. Leading white space is not
// allowed.
func refEnd(b []byte) (n int, ok bool) {
	var value json.RawMessage
	d := json.NewDecoder(bytes.NewReader(b))
	if len(bytes.TrimLeft(b, " \t\r\n")) < len(b) || d.Decode(&value) != nil {
		return 0, false
	}
	return int(d.InputOffset()), true
}

package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

// plainParse is Parse. Where it does not search, it leaves out the last record of
// a line that was torn, as Parse does once it has read too much for it.
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
	return reading{Problem: Garbage}
}

// plainParseTail is ParseTail.
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

// plainLeading reads the objects that a line begins with, and returns where the
// rest of it begins.
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

// plainTrailing finds the longest record that ends with the line.
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

// plainIsRecord reports whether an object has what every entry of a session has.
func refIsRecord(o refObject) bool {
	_, isString := refString(o["type"])
	_, session := o["sessionId"]
	_, leaf := o["leafUuid"]
	_, message := o["messageId"]
	return isString && (session || leaf || message)
}

// plainEnd finds the end of the JSON value that b begins with, without white space
// before it.
func refEnd(b []byte) (n int, ok bool) {
	var value json.RawMessage
	d := json.NewDecoder(bytes.NewReader(b))
	if len(bytes.TrimLeft(b, " \t\r\n")) < len(b) || d.Decode(&value) != nil {
		return 0, false
	}
	return int(d.InputOffset()), true
}

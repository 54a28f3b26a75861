package transcript

import "slices"

// A Parser parses lines. It only keeps frequent strings, to avoid allocating them for
// every line; nothing that it keeps affects later lines. It is not safe for concurrent
// use.
type Parser struct {
	cursor cursor
	marker marker
	raw    rawEntry
	blocks []rawBlock // of raw.message
	left   budget     // of the line
	buf    []byte     // decoded text
	names  interner
	labels interner // of cleaned strings
	digest *digester
	repeats

	// Raw and decoded values of the latest line that stated them: consecutive lines
	// mostly state the same.
	cwdRaw, cwd           string
	sessionRaw, sessionID string
	sessionKey            Key
	messageKey, toolKey   latestKey // of messages and tool calls
	refKey                latestKey // of messages with a requestRef
	attributesRaw         [6]rawValue
	latestAttributes      RequestAttributes
}

// NewParser returns a Parser.
func NewParser() *Parser {
	p := &Parser{
		names: make(interner), labels: make(interner), digest: newDigester(),
		messageKey: latestKey{kind: "message"}, toolKey: latestKey{kind: "tool"}, refKey: latestKey{kind: "message of request"},
	}
	p.marker.enabled, p.minLine = canMark(), minRepeated
	return p
}

// maxReusedLine is the maximum length of a line: after a longer line the parser frees
// its buffers.
const maxReusedLine = 1 << 20

// release drops a long line and the memory that parsing it took.
func (p *Parser) release(line []byte) {
	if len(line) > maxReusedLine {
		p.cursor, p.raw, p.blocks, p.buf = cursor{}, rawEntry{}, nil, nil
		p.cwdRaw, p.cwd, p.sessionRaw, p.sessionID, p.sessionKey = "", "", "", "", Key{}
		p.attributesRaw, p.latestAttributes = [6]rawValue{}, RequestAttributes{}
	}
}

// text returns the text of a string, nil for any other value. It is valid until the
// next call.
func (p *Parser) text(v rawValue) []byte { return v.text(&p.buf) }

// name returns the text of a string that is likely to recur, "" for any other value.
func (p *Parser) name(v rawValue) string { return p.names.string(p.text(v)) }

// label returns the cleaned text of a string, "" for any other value.
func (p *Parser) label(v rawValue) string { return p.labels.label(p.text(v)) }

// session returns a session id and its key.
func (p *Parser) session(v rawValue) (string, Key) {
	if len(v) == 0 {
		return "", Key{}
	}
	if string(v) != p.sessionRaw {
		p.sessionRaw, p.sessionID, p.sessionKey = string(v), p.name(v), Key{}
		if p.sessionID != "" {
			p.sessionKey = KeyOf("session", p.sessionID)
		}
	}
	return p.sessionID, p.sessionKey
}

// time is parseTime for a value. The usual layout needs no decoding.
func (p *Parser) time(v rawValue) int64 {
	if v.isString() {
		if t, ok := parseUsualTime(v[1 : len(v)-1]); ok {
			return t
		}
	}
	return parseTime(p.text(v))
}

// directory returns the path of a directory.
func (p *Parser) directory(v rawValue) string {
	if len(v) == 0 {
		return ""
	}
	if string(v) != p.cwdRaw {
		p.cwdRaw, p.cwd = string(v), p.name(v)
	}
	return p.cwd
}

// typeOf returns the type of an entry, Unknown if it is not in Types.
func (p *Parser) typeOf(v rawValue) string {
	text := p.text(v)
	if i := slices.IndexFunc(Types, func(t string) bool { return t == string(text) }); i >= 0 {
		return Types[i]
	}
	return Unknown
}

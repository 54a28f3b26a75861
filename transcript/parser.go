package transcript

// A Parser reads lines. It remembers nothing of them but strings that come
// again and again, so that these need no memory each time. It is not safe for
// use by several goroutines at once.
type Parser struct {
	cursor   cursor
	raw rawEntry
	blocks []rawBlock // of the record's message
	room   []byte  // for a text that has to be decoded
	names  interner
	labels interner // clean
	types  map[string]string
	digest *digester

	// Of the latest line that had them, as they were written and what that means:
	// lines that follow each other mostly have the same.
	cwdRaw, cwd           string
	sessionRaw, sessionID string
	sessionOf             Key
}

// NewParser returns a Parser.
func NewParser() *Parser {
	p := &Parser{names: make(interner), labels: make(interner), types: make(map[string]string), digest: newDigester()}
	for _, t := range Types {
		p.types[t] = t
	}
	return p
}

// longLine is the length above which the memory that a line took is not kept for
// the next ones.
const longLine = 1 << 20

// forget lets go of a line that was read, and of the memory that it took, if it was
// a long one. Of others that is not worth the trouble.
func (p *Parser) forget(line []byte) {
	if len(line) > longLine {
		p.cursor, p.raw, p.blocks, p.room = cursor{}, rawEntry{}, nil, nil
		p.cwdRaw, p.cwd, p.sessionRaw, p.sessionID, p.sessionOf = "", "", "", "", Key{}
	}
}

// text returns the text of a string, none for any other value. It is valid until
// the next call.
func (p *Parser) text(v rawValue) []byte {
	if !v.isString() {
		return nil
	}
	if v.plain() {
		return v[1 : len(v)-1]
	}
	p.room = appendText(p.room[:0], v[1:len(v)-1])
	return p.room
}

// name returns the text of a string that is likely to come again.
func (p *Parser) name(v rawValue) string {
	if !v.isString() {
		return ""
	}
	return p.names.string(p.text(v))
}

// label returns the text of a string as it stands in a label.
func (p *Parser) label(v rawValue) string {
	if !v.isString() {
		return ""
	}
	return p.labels.label(p.text(v))
}

// session returns the id of a session and its digest.
func (p *Parser) session(v rawValue) (string, Key) {
	if len(v) == 0 {
		return "", Key{}
	}
	if string(v) != p.sessionRaw {
		p.sessionRaw, p.sessionID, p.sessionOf = string(v), p.name(v), Key{}
		if p.sessionID != "" {
			p.sessionOf = KeyOf("session", p.sessionID)
		}
	}
	return p.sessionID, p.sessionOf
}

// directory returns the name of a directory.
func (p *Parser) directory(v rawValue) string {
	if len(v) == 0 {
		return ""
	}
	if string(v) != p.cwdRaw {
		p.cwdRaw, p.cwd = string(v), p.name(v)
	}
	return p.cwd
}

// typeOf returns the type of an entry if it is a known one.
func (p *Parser) typeOf(v rawValue) string {
	if t, ok := p.types[string(p.text(v))]; ok {
		return t
	}
	return Unknown
}

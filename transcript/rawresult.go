package transcript

// content skips the content of a tool result, and returns it with its size in bytes:
// that of texts, and of images and documents in their base64 encoding.
func (c *cursor) content() (v rawValue, size int) {
	start := c.at
	if c.nextIs('[') {
		for more := c.enter('['); more; more = c.more(']') {
			size += c.part()
		}
	} else {
		size = c.textLen()
	}
	if c.failed() {
		return nil, 0
	}
	return c.since(start), size
}

// part skips one part of a content and returns its size.
func (c *cursor) part() int {
	var text, data int
	for more := c.enter('{'); more; more = c.more('}') {
		switch string(c.key()) {
		case "text":
			text = c.textLen()
		case "source":
			data = c.source()
		default:
			c.value()
		}
	}
	return text + data
}

// source skips the source of an image or a document and returns the size of its data.
func (c *cursor) source() (size int) {
	for more := c.enter('{'); more; more = c.more('}') {
		if string(c.key()) == "data" {
			size = c.textLen()
		} else {
			c.value()
		}
	}
	return size
}

// A rawEdit is the "toolUseResult" of a tool that edits files.
type rawEdit struct {
	typ, content   rawValue
	patched        bool // it has a structured patch
	added, removed uint64
}

func (e *rawEdit) read(c *cursor) {
	*e = rawEdit{}
	for more := c.enter('{'); more; more = c.more('}') {
		switch string(c.key()) {
		case "type":
			e.typ = c.value()
		case "content":
			e.content = c.value()
		case "structuredPatch":
			e.readPatch(c)
		default:
			c.value()
		}
	}
}

// readPatch reads a structured patch: an array of hunks, each with its lines.
func (e *rawEdit) readPatch(c *cursor) {
	e.patched, e.added, e.removed = c.nextIs('['), 0, 0
	for more := c.enter('['); more; more = c.more(']') {
		added, removed := c.hunk()
		e.added, e.removed = e.added+added, e.removed+removed
	}
}

// hunk skips one hunk of a patch and counts its changed lines.
func (c *cursor) hunk() (added, removed uint64) {
	for more := c.enter('{'); more; more = c.more('}') {
		if string(c.key()) == "lines" {
			added, removed = c.hunkLines()
		} else {
			c.value()
		}
	}
	return added, removed
}

func (c *cursor) hunkLines() (added, removed uint64) {
	for more := c.enter('['); more; more = c.more(']') {
		switch c.value().firstByte() {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

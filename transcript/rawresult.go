package transcript

// content skips the content of a tool result, and returns it with the size of its
// texts, and of its images and documents in base64, in bytes.
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

package transcript

// A rawMessage is the "message" of a "user" or "assistant" entry.
type rawMessage struct {
	present                  bool // it is an object
	id, model, stop, content rawValue
	stopDetails              rawValue
	usage                    rawUsage
	diagnostics              rawValue
}

// A rawBlock is one content block of a message.
type rawBlock struct {
	typ, text             rawValue
	id, name              rawValue // of a tool call
	input                 rawInput // of a tool call
	useID, isError, value rawValue // of a tool result
	size                  int      // of value, see cursor.content
}

func (m *rawMessage) read(c *cursor, blocks []rawBlock, limit int) []rawBlock {
	*m = rawMessage{present: c.nextIs('{')}
	for more := c.enter('{'); more; more = c.more('}') {
		switch string(c.key()) {
		case "id":
			m.id = c.value()
		case "model":
			m.model = c.value()
		case "stop_reason":
			m.stop = c.value()
		case "stop_details":
			m.stopDetails = c.value()
		case "usage":
			m.usage.read(c)
		case "content":
			start := c.at
			blocks = readBlocks(c, blocks[:0], limit)
			m.content = c.since(start)
		case "diagnostics":
			m.diagnostics = c.value()
		default:
			c.value()
		}
	}
	return blocks
}

// readBlocks reads the content of a message. A string, alone or in an array, becomes a
// block of type "text"; other values that are not objects are skipped, and so are
// blocks beyond the limit.
func readBlocks(c *cursor, blocks []rawBlock, limit int) []rawBlock {
	if !c.nextIs('[') {
		return appendTextBlock(blocks, c.value(), limit)
	}
	for more := c.enter('['); more; more = c.more(']') {
		switch {
		case len(blocks) == limit:
			c.value()
		case c.nextIs('{'):
			push(&blocks, rawBlock{}).read(c)
		default:
			blocks = appendTextBlock(blocks, c.value(), limit)
		}
	}
	return blocks
}

// objectBlocks reads the elements of an array that are objects.
func (p *Parser) objectBlocks(v rawValue) []rawBlock {
	var blocks []rawBlock
	for element := range v.elements() {
		if c := newCursor(element); c.nextIs('{') && p.left.part() {
			push(&blocks, rawBlock{}).read(&c)
		}
	}
	return blocks
}

func appendTextBlock(blocks []rawBlock, text rawValue, limit int) []rawBlock {
	if !text.isString() || len(blocks) == limit {
		return blocks
	}
	return append(blocks, rawBlock{typ: typeText, text: text})
}

// typeText is the type of a text block. It must not be modified.
var typeText = rawValue(`"text"`)

func (b *rawBlock) read(c *cursor) {
	for more := c.enter('{'); more; more = c.more('}') {
		switch string(c.key()) {
		case "type":
			b.typ = c.value()
		case "text":
			b.text = c.value()
		case "id":
			b.id = c.value()
		case "name":
			b.name = c.value()
		case "input":
			b.input.read(c)
		case "tool_use_id":
			b.useID = c.value()
		case "is_error":
			b.isError = c.value()
		case "content":
			b.value, b.size = c.content()
		default:
			c.value()
		}
	}
}

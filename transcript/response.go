package transcript

import "unicode/utf8"

// The lengths of the shortest ids that identify something in all files, in characters.
// Claude's own ids of messages have at least 20, those of tool calls at least 13. Some
// gateways give every response one id, or number the calls of each response from 0.
const (
	uniqueMessageID = 20
	uniqueToolID    = 12
)

// A Response is what identifies the API response of an "assistant" entry if one of its
// ids is short. Whether its line continues a message depends on the lines before it in
// the file.
type Response struct {
	// Key is the key of the message if the line begins it. Without a message id,
	// AssignKeys derives it from the entry's UUID.
	Key Key
	// ID digests a short message id of a line that states its parent. Otherwise it is
	// zero, and the message has the Key.
	ID Key
	// Line digests ID and the entry's uuid, zero if it has none. Parent digests ID and
	// the uuid of the line before it in the conversation: it is the Line of that one if
	// that has the same message id.
	Line, Parent Key
	Final        bool // see Message.IsFinal; the line may have no usage
}

// isShort reports whether an id has less than n characters.
func isShort(id []byte, n int) bool { return len(id) < n*utf8.UTFMax && utf8.RuneCount(id) < n }

// toolID returns the key of the id of a tool call, and the same as a short id if it is
// one.
func (p *Parser) toolID(v rawValue) (key, short Key) {
	id := p.text(v)
	key = p.toolKey.of(id)
	if isShort(id, uniqueToolID) {
		short = key
	}
	return key, short
}

// messageID returns the key of a message id, zero if there is none, and the same as a
// short id if it is one and the entry states its parent.
func (p *Parser) messageID() (key, short Key) {
	id := p.text(p.raw.message.id)
	if len(id) == 0 {
		return Key{}, Key{}
	}
	key = p.messageKey.of(id)
	if isShort(id, uniqueMessageID) && p.raw.parent.isString() {
		short = key
	}
	return key, short
}

// identify sets the key of the entry's message, and what identifies its response if an
// id is short.
func (p *Parser) identify(e *Entry, to *Buffer) {
	key, short := p.messageID()
	if !short.IsZero() || hasShortID(e.Uses) {
		e.Response = push(&to.responses, p.response(key, short))
		key = e.Response.Key
	}
	if e.Message != nil {
		e.Message.Key = key
	}
}

func (p *Parser) response(key, short Key) Response {
	r := Response{Key: key, ID: short, Final: p.raw.message.stop.truthy()}
	if short.IsZero() {
		return r
	}
	r.Parent = p.lineKey(short, p.raw.parent)
	r.Key = keyOfBytes("message after", r.Parent[:])
	if p.raw.uuid.isString() {
		r.Line = p.lineKey(short, p.raw.uuid)
	}
	return r
}

func hasShortID(uses []ToolUse) bool {
	for i := range uses {
		if !uses[i].ID.IsZero() {
			return true
		}
	}
	return false
}

// lineKey digests a message id and the uuid of one of its lines.
func (p *Parser) lineKey(message Key, uuid rawValue) Key {
	var room [256]byte
	b := appendPart(appendPart(room[:0], "line"), message[:])
	return digest(appendPart(b, p.text(uuid)))
}

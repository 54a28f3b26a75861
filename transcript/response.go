package transcript

import (
	"encoding/binary"
	"unicode/utf8"
)

// The lengths of the shortest unambiguous ids, in characters: shorter ids may repeat in
// other files. Claude's own message ids have at least 20 characters, its tool call ids
// at least 13. Some gateways give every response the same id, or number the calls of
// each response from 0.
const (
	uniqueMessageID = 20
	uniqueToolID    = 12
)

// A Response identifies the API response of an "assistant" entry that names its request
// or has a short id. Whether a line with a short message id continues a message depends
// on the lines before it in the file.
type Response struct {
	// Ref is the key of the message if the entry has a requestRef (Claude Code 2.1.300 and
	// later), which names the API request: it digests the message id and the requestRef.
	// Otherwise it is zero.
	Ref Key
	// Key is the key of a message without a requestRef if the line begins it. Without a
	// message id, AssignKeys derives it from the entry's UUID.
	Key Key
	// ID digests a short message id of a line that states its parent. Otherwise it is
	// zero, and a message without a requestRef has the Key.
	ID Key

	Block BlockIndex
	Final bool // see Message.IsFinal; the line may have no usage

	// The following keys are zero if ID is. Line digests ID and the entry's uuid;
	// without a uuid it is zero. Parent digests ID and the uuid of the previous line of
	// the conversation: it equals the Line of that line if both have the same message
	// id. Request digests the entry's requestId; without one it is zero. Sent digests
	// the numbers of tokens sent, and Counts these numbers and the output.
	Line, Parent, Request, Sent, Counts Key
}

// A BlockIndex is the stated position of a line's content block in the response (Claude
// Code 2.1.260 and later).
type BlockIndex uint8

// The block indexes.
const (
	NoBlock BlockIndex = iota // not stated
	FirstBlock
	LaterBlock
)

// isShort reports whether an id has less than n characters.
func isShort(id []byte, n int) bool { return len(id) < n*utf8.UTFMax && utf8.RuneCount(id) < n }

// toolID returns the key of the id of a tool call, and as short the same key if the id
// is short.
func (p *Parser) toolID(v rawValue) (key, short Key) {
	id := p.text(v)
	key = p.toolKey.keyOf(id)
	if isShort(id, uniqueToolID) {
		short = key
	}
	return key, short
}

// messageID returns the key of a message id, zero without an id, and as short the same
// key if the id is short and the entry states its parent.
func (p *Parser) messageID() (key, short Key) {
	id := p.text(p.raw.message.id)
	if len(id) == 0 {
		return Key{}, Key{}
	}
	key = p.messageKey.keyOf(id)
	if isShort(id, uniqueMessageID) && p.raw.parent.isString() {
		short = key
	}
	return key, short
}

// requestRef returns the key of the message by the request that the entry names, zero
// if the entry names no request.
func (p *Parser) requestRef(message Key) Key {
	ref := p.text(p.raw.requestRef)
	if len(ref) == 0 {
		return Key{}
	}
	var room [256]byte
	return p.refKey.keyOf(append(append(room[:0], message[:]...), ref...))
}

// identify sets the key of the entry's message, and its Response if the entry names its
// request or an id is short.
func (p *Parser) identify(e *Entry, to *Buffer) {
	if !p.raw.message.present {
		return
	}
	key, short := p.messageID()
	ref := p.requestRef(key)
	if !ref.IsZero() || !short.IsZero() || hasShortID(e.Uses) {
		e.Response = push(&to.responses, p.response(key, short))
		e.Response.Ref = ref
		key = e.Response.Key
	}
	if !ref.IsZero() {
		key = ref
	}
	if e.Message != nil {
		e.Message.Key = key
	}
}

func (p *Parser) response(key, short Key) Response {
	r := Response{Key: key, ID: short, Block: p.raw.block.blockIndex(), Final: p.raw.message.stop.truthy()}
	if short.IsZero() {
		return r
	}
	r.Parent = p.lineKey(short, p.raw.parent)
	r.Key = keyOfBytes("message after", r.Parent[:])
	if p.raw.uuid.isString() {
		r.Line = p.lineKey(short, p.raw.uuid)
	}
	if p.raw.requestID.isString() {
		r.Request = keyOfBytes("request", p.text(p.raw.requestID))
	}
	u := &p.raw.message.usage
	r.Sent = numbersKey(u.input, u.cached, u.written)
	r.Counts = numbersKey(u.input, u.cached, u.written, u.output)
	return r
}

// blockIndex reads an index, which is an integer.
func (v rawValue) blockIndex() BlockIndex {
	switch {
	case !v.isInteger():
		return NoBlock
	case v[0] == '-' || v[0] == '0':
		return FirstBlock
	}
	return LaterBlock
}

// numbersKey digests numbers of tokens.
func numbersKey(numbers ...rawValue) Key {
	var room [64]byte
	b := room[:0]
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n.countOrZero())
	}
	return keyOfBytes("numbers", b)
}

func hasShortID(uses []ToolUse) bool {
	for i := range uses {
		if !uses[i].ID.IsZero() {
			return true
		}
	}
	return false
}

// lineKey digests a message id and the uuid of a line of the message.
func (p *Parser) lineKey(message Key, uuid rawValue) Key {
	var room [256]byte
	b := appendPart(appendPart(room[:0], "line"), message[:])
	return digest(appendPart(b, p.text(uuid)))
}

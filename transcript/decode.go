package transcript

import (
	"slices"
	"strconv"
)

// decode reads b, which must be one JSON object and nothing else, and adds its
// entry to a page; if it is not, ok is false and nothing is added. whole reports
// whether the object has what every entry of a session has, a type and an id to
// belong to, so that it is no mere part of one.
func (p *Parser) decode(b []byte, to *Buffer) (whole, ok bool) {
	p.cursor.begin(b)
	p.blocks, ok = p.raw.read(&p.cursor, p.blocks)
	if !ok || p.cursor.at != len(b) {
		return false, false
	}
	e := keep(&to.Entries, Entry{})
	p.entry(e, to)
	return p.raw.typ.isString() && p.raw.owned, true
}

// uuid digests the entry's "uuid". A compaction without one is known by its
// session and time.
func (p *Parser) uuid(e *Entry) Key {
	switch r := &p.raw; {
	case r.uuid.isString():
		return keyOfBytes("uuid", p.text(r.uuid))
	case e.Compaction != nil:
		return KeyOf("compaction", e.SessionID, r.timestamp.orEmpty())
	}
	return Key{}
}

func (p *Parser) assistant(e *Entry, to *Buffer) {
	r := &p.raw
	if r.message.there && r.isError.isTrue() {
		e.APIError = apiError(r, joinText(p.blocks))
		if !slices.Contains(ErrorClasses, e.APIError.Class) {
			e.unknown(unknownError, e.APIError.Class)
		}
	}
	e.Uses = p.uses(to)
	e.Results = p.results(isAnyResult, to)
	p.unknownBlocks(e, isAnyResult)
	p.message(e, to)
}

func (p *Parser) user(e *Entry, to *Buffer) {
	e.Results = p.results(isClientResult, to)
	p.unknownBlocks(e, isClientResult)
	e.Prompt = p.prompt(to)
	e.Warmup = len(p.blocks) > 0 && p.blocks[0].typ.is("text") && p.blocks[0].text.is("Warmup")
}

func (p *Parser) system(e *Entry, to *Buffer) {
	r := &p.raw
	subtype := p.name(r.subtype)
	if !slices.Contains(subtypes, subtype) {
		p.unknownSubtype(e, subtype)
	}
	switch subtype {
	case "compact_boundary":
		e.Compaction = compaction(r.compaction)
	case "api_error":
		e.Retry = retry(r)
	case "turn_duration":
		e.Turn = &Turn{Milliseconds: r.duration.countOrZero()}
	case "local_command":
		e.Prompt = p.localCommand(to)
	}
}

func compaction(metadata rawValue) *Compaction {
	var f [2]rawValue
	metadata.pick([]string{"trigger", "preTokens"}, f[:])
	trigger, ok := f[0].str()
	if !ok {
		trigger = "unknown"
	}
	return &Compaction{Trigger: Clean(trigger), PreTokens: f[1].countOrZero()}
}

// queueOperation reads a "queue-operation" entry. Its key has the operation as it is
// written, so that two unknown operations are not taken for one.
func (p *Parser) queueOperation(e *Entry) {
	r := &p.raw
	var room [256]byte
	b := appendPart(room[:0], "queue")
	for _, part := range [...]rawValue{r.sessionID, r.timestamp, r.operation} {
		b = appendPart(b, p.text(part))
	}
	e.QueueKey = digest(b)
	if r.operation.isString() {
		e.QueueOperation = queueOperation(p.name(r.operation))
	}
}

func queueOperation(name string) string {
	if slices.Contains(QueueOperations, name) {
		return name
	}
	return "other"
}

// Identify sets the keys that the entry's own ids did not give, so that each
// of its things can be counted once. The UUID, where something is counted by it,
// becomes what place returns, which should digest where the entry stands; message
// and tool calls derive theirs from the UUID. Keys that are set stay as they are.
func (e *Entry) AssignKeys(place func() Key) {
	if e.UUID.IsZero() && e.needsUUID() {
		e.UUID = place()
	}
	if e.Message != nil && e.Message.Key.IsZero() {
		e.Message.Key = KeyOf("message of", string(e.UUID[:]))
	}
	for i := range e.Uses {
		if e.Uses[i].Key.IsZero() {
			e.Uses[i].Key = KeyOf("tool of", string(e.UUID[:]), strconv.Itoa(i))
		}
	}
}

// needsUUID reports whether something in the entry is known by its UUID.
func (e *Entry) needsUUID() bool {
	return e.Prompt != nil || e.Compaction != nil || e.APIError != nil || e.Retry != nil || e.Turn != nil ||
		e.Message != nil && e.Message.Key.IsZero() ||
		slices.ContainsFunc(e.Uses, func(u ToolUse) bool { return u.Key.IsZero() })
}

package transcript

import (
	"slices"
	"strconv"
)

// decode adds the entry of b to a buffer. If b is not exactly one JSON object, ok is
// false and nothing is added. isRecord reports whether the object has a type and an
// owner, as every entry of a session has; without them it may be a part of an entry.
func (p *Parser) decode(b []byte, to *Buffer) (isRecord, ok bool) {
	p.cursor = cursor{scanner: scanner{b: b, marks: p.marker.mark(b)}, at: scanSpace(b, 0), text: p.cursor.text}
	p.blocks, ok = p.raw.read(&p.cursor, p.blocks, p.left.parts)
	if !ok || p.cursor.at != len(b) {
		return false, false
	}
	p.left.parts -= len(p.blocks)
	p.entry(push(&to.Entries, Entry{}), to)
	return p.raw.typ.isString() && p.raw.hasOwner, true
}

// entry decodes p.raw.
func (p *Parser) entry(e *Entry, to *Buffer) {
	r, facts := &p.raw, len(to.facts)
	e.Time = p.time(r.timestamp)
	e.Type = p.typeOf(r.typ)
	e.SessionID, e.Session = p.session(r.sessionID)
	e.CWD = p.directory(r.cwd)
	e.Sidechain = r.sidechain.isTrue()
	p.fork(e)
	switch e.Type {
	case Unknown:
		name := p.name(r.typ)
		p.unknownType(e, unknownMetadataType, name, name)
	case "assistant":
		p.assistant(e, to)
	case "user":
		p.user(e, to)
	case "system":
		p.system(e, to)
	case "attachment":
		p.queuedPrompt(e, &r.attachment, to)
		p.hookAttachment(e, &r.attachment)
		e.LeavesPlan = r.attachment.typ.is("plan_mode_exit")
	case "queue-operation":
		p.queueOperation(e)
	case "cost-state":
		e.Reported = p.reported(e, to)
	case "permission-mode":
		e.PermissionMode = p.enum(r.permissionMode, PermissionModes)
	case "pr-link":
		p.pullRequest(to)
	}
	e.Facts = tail(to.facts, facts)
	if e.needsUUID() {
		e.UUID = p.uuid(e)
	}
}

// member returns a member that only rare types have, so that other lines do not have to
// look for it. It scans the object again.
func (p *Parser) member(key string) rawValue { return rawValue(p.cursor.b).member(key) }

// uuid digests the "uuid" of the entry. A compaction without a uuid is identified by
// its session and time.
func (p *Parser) uuid(e *Entry) Key {
	switch r := &p.raw; {
	case r.uuid.isString():
		return keyOfBytes("uuid", p.text(r.uuid))
	case e.Compaction != nil:
		return KeyOf("compaction", e.SessionID, r.timestamp.str())
	}
	return Key{}
}

func (p *Parser) assistant(e *Entry, to *Buffer) {
	r := &p.raw
	if r.message.present && r.isError.isTrue() {
		text := joinText(p.blocks)
		e.APIError = apiError(r, text)
		e.LimitHit = p.limitHit(e.APIError.Class, text, e.Time)
		if !slices.Contains(ErrorClasses, e.APIError.Class) {
			e.unknown(unknownError, e.APIError.Class)
		}
	}
	e.Uses = p.uses(to)
	e.Results = p.results(isAnyResult, to)
	p.background(e.Results, to)
	p.unknownBlocks(e, isAnyResult)
	p.message(e, to)
	p.identify(e, to)
	e.Attribution = p.attribution(to)
}

func (p *Parser) user(e *Entry, to *Buffer) {
	e.PermissionMode = p.enum(p.raw.permissionMode, PermissionModes)
	e.Results = p.results(isClientResult, to)
	p.commit(to)
	p.background(e.Results, to)
	p.denial(e)
	p.unknownBlocks(e, isClientResult)
	e.Prompt = p.prompt(to)
	if e.Prompt == nil {
		e.TaskCall = p.taskCall()
	}
	e.Warmup = len(p.blocks) > 0 && p.blocks[0].typ.is("text") && p.blocks[0].text.is("Warmup")
}

func (p *Parser) system(e *Entry, to *Buffer) {
	r := &p.raw
	subtype := p.name(r.subtype)
	if !slices.Contains(Subtypes, subtype) {
		p.unknownType(e, unknownSubtype, subtype, "system/"+subtype)
	}
	switch subtype {
	case "compact_boundary":
		e.Compaction = &Compaction{
			Trigger: "unknown", PreTokens: r.compaction.member("preTokens").countOrZero(),
			PostTokens: r.compaction.member("postTokens").countOrZero(), Milliseconds: r.compaction.member("durationMs").countOrZero(),
		}
		if trigger := r.compaction.member("trigger"); trigger.isString() {
			e.Compaction.Trigger = Clean(trigger.str())
		}
	case "api_error":
		push(&to.facts, Fact{Kind: RetryFact, Name: retryStatus(r)})
	case "turn_duration":
		e.Turn = p.turn()
	case "stop_hook_summary":
		p.hookSummary(e)
	case "local_command":
		e.Prompt = p.localCommand(to)
	}
}

// queueOperation reads a "queue-operation" entry. Its key digests the operation as
// written, so that different unknown operations have different keys.
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

// AssignKeys sets the keys for which the line has no ids, so that everything in the
// entry can be counted once. A missing UUID that is needed for counting becomes the
// result of position, which should digest the position of the line in its file; the
// keys of message and tool calls are derived from the UUID. Keys that are set do not
// change.
func (e *Entry) AssignKeys(position func() Key) {
	if e.UUID.IsZero() && e.needsUUID() {
		e.UUID = position()
	}
	if e.Message != nil && e.Message.Key.IsZero() {
		e.Message.Key = KeyOf("message of", string(e.UUID[:]))
	}
	if e.Response != nil && e.Response.Key.IsZero() {
		e.Response.Key = KeyOf("message of", string(e.UUID[:]))
	}
	for i := range e.Uses {
		if e.Uses[i].Key.IsZero() {
			e.Uses[i].Key = KeyOf("tool of", string(e.UUID[:]), strconv.Itoa(i))
		}
	}
	for i := range e.Facts {
		if e.Facts[i].Key.IsZero() {
			e.Facts[i].Key = e.UUID
		}
	}
}

// needsUUID reports whether the entry's UUID is needed for counting.
func (e *Entry) needsUUID() bool {
	return e.Prompt != nil || e.Compaction != nil || e.APIError != nil || e.Turn != nil ||
		e.Hooks != nil ||
		e.Message != nil && e.Message.Key.IsZero() ||
		e.Response != nil && e.Response.Key.IsZero() ||
		slices.ContainsFunc(e.Uses, func(u ToolUse) bool { return u.Key.IsZero() }) ||
		slices.ContainsFunc(e.Facts, func(f Fact) bool { return f.Key.IsZero() })
}

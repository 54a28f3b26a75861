package transcript

// A record is the members of one object of a transcript that anything depends
// on, as they are written. It is filled in one walk, before it is known what type
// of entry it is: that may be said last. Members of rare types are not in it, see
// Parser.member.
type rawEntry struct {
	typ, uuid, timestamp, sessionID, cwd, sidechain rawValue
	owned                                           bool // it says what it belongs to

	message rawMessage
	result  editResult

	// Of user entries.
	meta, summary, visible, companion, origin, promptSource, entrypoint rawValue
	// Of failures.
	isError, err, apiError, status, cause rawValue
	// Of system and other entries.
	subtype, compaction, duration, attachment, operation rawValue
	// Of system entries, and of entries of unknown types, see countable.
	usage, content rawValue
}

// A message is the object that a "user" or "assistant" entry has under that name.
type rawMessage struct {
	there                    bool // it is an object
	id, model, stop, content rawValue
	usage                    rawUsage
}

// A usage is the counts of an assistant's message.
type rawUsage struct {
	there                          bool // it is an object
	whole                          rawValue
	unknown                        bool // it has other keys, with numbers in them
	input, output, cached, written rawValue
	lifetimes                      [2]rawValue  // of cache writes: five minutes, an hour
	tools                          [2]rawValue  // of the server: searches, fetches
	details                        [1]rawValue  // of output: thinking
	odd                            [3]bool // one of these three has other keys
	iterations                     rawValue
}

// A block is one part of a message's content.
type rawBlock struct {
	typ, text             rawValue
	id, name              rawValue // of a call
	useID, isError, value rawValue // of a result
	size                  int // of value, see walk.content
}

// An editResult is what a tool that changes files says besides its result.
type editResult struct {
	typ, content   rawValue
	patched        bool // there is a patch
	added, removed uint64
}

// read walks past the value that comes next and reports whether it was an object;
// then it is in the record, and the blocks of its message are in the returned
// slice, which is blocks used again.
func (r *rawEntry) read(w *cursor, blocks []rawBlock) ([]rawBlock, bool) {
	*r = rawEntry{}
	blocks = blocks[:0]
	if !w.is('{') {
		return blocks, false
	}
	for more := w.enter('{'); more; more = w.more('}') {
		switch key := w.key(); string(key) {
		case "message":
			blocks = r.message.read(w, blocks[:0])
		case "toolUseResult":
			r.result.read(w)
		default:
			r.set(key, w.value())
		}
	}
	return blocks, !w.failed()
}

// set sets a member that is not walked into.
func (r *rawEntry) set(key []byte, value rawValue) {
	switch string(key) {
	case "type":
		r.typ = value
	case "uuid":
		r.uuid = value
	case "timestamp":
		r.timestamp = value
	case "sessionId":
		r.sessionID, r.owned = value, true
	case "leafUuid", "messageId":
		r.owned = true
	case "cwd":
		r.cwd = value
	case "isSidechain":
		r.sidechain = value
	case "isMeta":
		r.meta = value
	case "isCompactSummary":
		r.summary = value
	case "isVisibleInTranscriptOnly":
		r.visible = value
	case "turnCompanion":
		r.companion = value
	case "origin":
		r.origin = value
	case "promptSource":
		r.promptSource = value
	case "entrypoint":
		r.entrypoint = value
	case "isApiErrorMessage":
		r.isError = value
	case "error":
		r.err = value
	case "apiError":
		r.apiError = value
	case "apiErrorStatus":
		r.status = value
	case "cause":
		r.cause = value
	case "subtype":
		r.subtype = value
	case "compactMetadata":
		r.compaction = value
	case "durationMs":
		r.duration = value
	case "content":
		r.content = value
	case "attachment":
		r.attachment = value
	case "operation":
		r.operation = value
	case "usage":
		r.usage = value
	}
}

func (m *rawMessage) read(w *cursor, blocks []rawBlock) []rawBlock {
	*m = rawMessage{}
	if m.there = w.is('{'); !m.there {
		w.value()
		return blocks
	}
	for more := w.enter('{'); more; more = w.more('}') {
		switch string(w.key()) {
		case "id":
			m.id = w.value()
		case "model":
			m.model = w.value()
		case "stop_reason":
			m.stop = w.value()
		case "usage":
			m.usage.read(w)
		case "content":
			start := w.at
			blocks = readBlocks(w, blocks[:0])
			if !w.failed() {
				m.content = w.b[start:w.at:w.at]
			}
		default:
			w.value()
		}
	}
	return blocks
}

// maxBlocks is how many blocks of a message are read, and how many of its advisors.
// It keeps a hostile line of millions of them from taking a hundred times its size in
// memory.
const maxBlocks = 1 << 16

// readBlocks reads the content of a message: a string, alone or in a list, is a
// block of type "text"; what is neither string nor object is left out.
func readBlocks(w *cursor, blocks []rawBlock) []rawBlock {
	if !w.is('[') {
		if text := w.value(); text.isString() {
			blocks = append(blocks, textBlock(text))
		}
		return blocks
	}
	for more := w.enter('['); more; more = w.more(']') {
		switch {
		case len(blocks) == maxBlocks:
			w.value()
		case w.is('{'):
			blocks = append(blocks, rawBlock{})
			blocks[len(blocks)-1].read(w)
		default:
			if text := w.value(); text.isString() {
				blocks = append(blocks, textBlock(text))
			}
		}
	}
	return blocks
}

// objectBlocks reads those elements of an array that are objects, up to maxBlocks.
func objectBlocks(v rawValue) []rawBlock {
	var blocks []rawBlock
	for element := range v.elements() {
		if len(blocks) == maxBlocks {
			break
		}
		if element.isObject() {
			var w cursor
			w.begin(element)
			blocks = append(blocks, rawBlock{})
			blocks[len(blocks)-1].read(&w)
		}
	}
	return blocks
}

func textBlock(text rawValue) rawBlock { return rawBlock{typ: typeText, text: text} }

// typeText is the type of a block of text. Nobody may change it.
var typeText = rawValue(`"text"`)

func (b *rawBlock) read(w *cursor) {
	for more := w.enter('{'); more; more = w.more('}') {
		switch string(w.key()) {
		case "type":
			b.typ = w.value()
		case "text":
			b.text = w.value()
		case "id":
			b.id = w.value()
		case "name":
			b.name = w.value()
		case "tool_use_id":
			b.useID = w.value()
		case "is_error":
			b.isError = w.value()
		case "content":
			b.value, b.size = w.content()
		default:
			w.value()
		}
	}
}

func (u *rawUsage) read(w *cursor) {
	*u = rawUsage{}
	if u.there = w.is('{'); !u.there {
		w.value()
		return
	}
	start := w.at
	for more := w.enter('{'); more; more = w.more('}') {
		switch string(w.key()) {
		case "input_tokens":
			u.input = w.value()
		case "output_tokens":
			u.output = w.value()
		case "cache_read_input_tokens":
			u.cached = w.value()
		case "cache_creation_input_tokens":
			u.written = w.value()
		case "cache_creation":
			u.odd[0] = w.pick(nestedUsageKeys[0].keys, u.lifetimes[:])
		case "server_tool_use":
			u.odd[1] = w.pick(nestedUsageKeys[1].keys, u.tools[:])
		case "output_tokens_details":
			u.odd[2] = w.pick(nestedUsageKeys[2].keys, u.details[:])
		case "iterations":
			u.iterations = w.value()
		case "service_tier", "inference_geo", "speed", "fallback_credit":
			w.value()
		default: // it may hold something to be counted
			u.unknown = w.value().hasNumber() || u.unknown
		}
	}
	if !w.failed() {
		u.whole = w.b[start:w.at:w.at]
	}
}

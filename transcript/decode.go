package transcript

import (
	"slices"
	"strconv"
)

// decode reads b, which must be one JSON object and nothing else; if it is
// not, ok is false. record reports whether the object has what every entry of
// a session has, a type and an id to belong to, so that it is no mere part of one.
//
// Every entry comes from here: what is JSON is known nowhere else but in the
// splitting of broken lines.
func decode(b []byte) (e Entry, record, ok bool) {
	o, ok := parseObject(b)
	if !ok {
		return Entry{}, false, false
	}
	return newEntry(o), isRecord(o), true
}

func isRecord(o object) bool {
	if _, ok := parseString(o["type"]); !ok {
		return false
	}
	for _, key := range []string{"sessionId", "leafUuid", "messageId"} {
		if _, ok := o[key]; ok {
			return true
		}
	}
	return false
}

func newEntry(o object) Entry {
	stamp := o.str("timestamp")
	e := Entry{
		Type:      o.str("type"),
		Time:      parseTime(stamp),
		SessionID: o.str("sessionId"),
		CWD:       o.str("cwd"),
		Sidechain: o.isTrue("isSidechain"),
	}
	if e.SessionID != "" {
		e.Session = KeyOf("session", e.SessionID)
	}
	if !slices.Contains(Types, e.Type) {
		e.Type = Unknown
		e.unknown(unknownType)
	}
	switch e.Type {
	case "assistant":
		decodeAssistant(&e, o)
	case "user":
		decodeUser(&e, o, stamp)
	case "system":
		decodeSystem(&e, o, stamp)
	case "attachment":
		e.Prompt = queuedPrompt(o.object("attachment"), stamp)
	case "queue-operation":
		e.QueueOperation = queueOperation(o.str("operation"))
	}
	if e.needsUUID() {
		e.UUID = uuidOf(o, &e, stamp)
	}
	return e
}

// uuidOf digests the entry's "uuid". A compaction without one is known by its
// session and time.
func uuidOf(o object, e *Entry, stamp string) Key {
	uuid, ok := parseString(o["uuid"])
	switch {
	case ok:
		return KeyOf("uuid", uuid)
	case e.Compaction != nil:
		return KeyOf("compaction", e.SessionID, stamp)
	}
	return Key{}
}

// unknown notes that the entry holds something that this package does not know.
func (e *Entry) unknown(what string) {
	if !slices.Contains(e.Unknown, what) {
		e.Unknown = append(e.Unknown, what)
	}
}

func decodeAssistant(e *Entry, o object) {
	message := o.object("message")
	if message == nil {
		return
	}
	blocks := message.blocks()
	if o.isTrue("isApiErrorMessage") {
		e.APIError = apiError(o, joinText(blocks))
		if !slices.Contains(ErrorClasses, e.APIError.Class) {
			e.unknown(unknownError)
		}
	}
	e.Uses = toolUses(blocks)
	e.Results = toolResults(blocks, isAnyResult, o)
	decodeMessage(e, message)
}

func decodeUser(e *Entry, o object, stamp string) {
	message := o.object("message")
	blocks := message.blocks()
	e.Results = toolResults(blocks, isClientResult, o)
	e.Prompt = userPrompt(o, message["content"], blocks, stamp)
	e.Warmup = len(blocks) > 0 && blocks[0].is("type", "text") && blocks[0].is("text", "Warmup")
}

func decodeSystem(e *Entry, o object, stamp string) {
	subtype := o.str("subtype")
	if !slices.Contains(subtypes, subtype) {
		e.unknown(unknownSubtype)
	}
	switch subtype {
	case "compact_boundary":
		e.Compaction = compaction(o.object("compactMetadata"))
	case "api_error":
		e.Retry = retry(o)
	case "turn_duration":
		e.Turn = &Turn{Milliseconds: o.count("durationMs")}
	}
}

func compaction(metadata object) *Compaction {
	trigger, ok := parseString(metadata["trigger"])
	if !ok {
		trigger = "unknown"
	}
	return &Compaction{Trigger: Clean(trigger), PreTokens: metadata.count("preTokens")}
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
func (e *Entry) Identify(place func() Key) {
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

package transcript

// A rawEntry holds the undecoded members of an object that its entry may depend on.
// They are collected in one pass, before the type of the entry is known, because "type"
// may come last. Members of rare types are not included, see Parser.member.
type rawEntry struct {
	typ, uuid, parent, timestamp, sessionID, cwd, sidechain rawValue
	requestSession, forkedFrom                              rawValue // of copies, see Parser.fork
	hasOwner                                                bool     // it refers to a session, a leaf or a message

	message rawMessage
	work    rawWork // "toolUseResult"

	// User entries.
	meta, summary, visible, companion, origin, promptSource, entrypoint rawValue
	// The request attributes of requests.
	permissionMode, effort, turnEffort, version rawValue
	attribution                                 [4]rawValue // of assistant entries: agent, skill, plugin, MCP server
	requestRef, requestID, block                rawValue    // of assistant entries, see Response
	// Failures.
	isError, err, apiError, errType, status, cause rawValue
	// Results of tools.
	decision, deniedBefore rawValue
	// System and other entries.
	subtype, compaction, duration, operation rawValue
	attachment                               rawAttachment
	// System entries and entries of unknown types, see countable.
	usage, content rawValue
	diagnostics    rawValue // of the entry itself, used if an assistant's message has no diagnostics
}

// read reads the next value and reports whether it is an object. It appends the first
// content blocks of its message to blocks[:0], up to a limit.
func (r *rawEntry) read(c *cursor, blocks []rawBlock, limit int) ([]rawBlock, bool) {
	*r = rawEntry{}
	blocks = blocks[:0]
	isObject, skipped := c.nextIs('{'), rawValue(nil)
	for more := c.enter('{'); more; more = c.more('}') {
		switch key := c.key(); string(key) {
		case "message":
			if skipped = nil; r.typ.is(blobType) {
				skipped = c.value()
				continue
			}
			blocks = r.message.read(c, blocks[:0], limit)
		case "toolUseResult":
			r.work.read(c)
		case "attachment":
			r.attachment.read(c)
		default:
			r.set(key, c.value())
		}
	}
	if skipped != nil && !c.failed() && !r.typ.is(blobType) { // a second "type", which wins
		message := newCursor(skipped)
		blocks = r.message.read(&message, blocks[:0], limit)
	}
	return blocks, isObject && !c.failed()
}

// set sets a member that read does not enter.
func (r *rawEntry) set(key []byte, value rawValue) {
	switch string(key) {
	case "type":
		r.typ = value
	case "uuid":
		r.uuid = value
	case "parentUuid":
		r.parent = value
	case "timestamp":
		r.timestamp = value
	case "sessionId":
		r.sessionID, r.hasOwner = value, true
	case "requestSessionId":
		r.requestSession = value
	case "forkedFrom":
		r.forkedFrom = value
	case "leafUuid", "messageId":
		r.hasOwner = true
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
	case "permissionDecision":
		r.decision = value
	case "toolDenialBeforeRun":
		r.deniedBefore = value
	case "permissionMode":
		r.permissionMode = value
	case "effort":
		r.effort = value
	case "perTurnEffort":
		r.turnEffort = value
	case "version":
		r.version = value
	case "requestRef":
		r.requestRef = value
	case "requestId":
		r.requestID = value
	case "apiBlockIndex":
		r.block = value
	case "isApiErrorMessage":
		r.isError = value
	case "error":
		r.err = value
	case "apiError":
		r.apiError = value
	case "apiErrorType":
		r.errType = value
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
	case "operation":
		r.operation = value
	case "usage":
		r.usage = value
	case "diagnostics":
		r.diagnostics = value
	case "attributionAgent":
		r.attribution[0] = value
	case "attributionSkill":
		r.attribution[1] = value
	case "attributionPlugin":
		r.attribution[2] = value
	case "attributionMcpServer":
		r.attribution[3] = value
	}
}

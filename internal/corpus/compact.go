package corpus

// full reports whether the context has to be compacted. Newer models have one
// that is hardly ever full.
func (t *thread) full() bool { return t.context > 155_000 && t.version < v(2, 1, 160) }

// compact replaces the conversation by a summary. An empty trigger is not
// written. In some versions a sub-agent made the summary, from a copy.
func (t *thread) compact(trigger string) {
	if t.agent == "" && t.version >= v(2, 1, 23) && t.version <= v(2, 1, 97) {
		t.home.replay("compact")
	}
	before := t.context
	t.context = t.between(12_000, 30_000)
	t.pass(t.between(20_000, 120_000))
	logical := t.parent
	t.started = false
	t.notice("compact_boundary", func() {
		t.raw(`,"logicalParentUuid":"`).bytes(logical[:]).raw(`","content":"Conversation compacted","level":"info"`)
		if trigger != "" {
			t.raw(`,"compactMetadata":{"trigger":`).quote(trigger).raw(`,"preTokens":`).num(before)
			if t.version >= v(2, 1, 105) {
				t.raw(`,"postTokens":`).num(t.context).raw(`,"durationMs":`).num(t.between(20_000, 90_000))
			}
			if t.version >= v(2, 1, 240) {
				t.raw(`,"cumulativeDroppedTokens":`).num(before - t.context)
			}
			t.raw(`}`)
		}
	})
	if trigger == "" {
		trigger = "unknown"
	}
	t.books.compaction(t.scope(), trigger)
	t.user(`,"isVisibleInTranscriptOnly":true,"isCompactSummary":true`, func() {
		t.raw(`"This session is being continued from a previous conversation that ran out of context. `)
		t.b = t.texts.prose.appendTo(t.b, t.dice, t.between(4000, 16000))
		t.raw(`"`)
	})
	if t == t.home.thread {
		t.home.fresh = len(t.marks)
	}
}

// microcompact drops old results from the context, which is no compaction.
func (t *thread) microcompact() {
	t.notice("microcompact_boundary", func() {
		t.raw(`,"content":"Context microcompacted","level":"info","microcompactMetadata":{"trigger":"auto","preTokens":59492,`)
		t.raw(`"tokensSaved":21761,"compactedToolIds":[],"clearedAttachmentUUIDs":[]}`)
	})
	t.books.microcompaction()
}

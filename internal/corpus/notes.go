package corpus

// A remark is a note that sessions of some versions have now and then.
type remark struct {
	kind          string
	percent       float64 // of the turns
	since, before version
	write         func(*thread)
}

// remarks are what is no part of the conversation, as often as it was found.
var remarks = []remark{
	{"last-prompt", 220, v(2, 1, 69), 0, func(t *thread) { t.owner().raw(`,`); t.sized("lastPrompt", &t.texts.prose, &fieldSize) }},
	{"permission-mode", 120, v(2, 1, 81), 0, func(t *thread) { t.raw(`,"permissionMode":"default"`); t.owner() }},
	{"ai-title", 110, v(2, 1, 81), 0, func(t *thread) { t.raw(`,`); t.sized("aiTitle", &t.texts.prose, &fieldSize); t.owner() }},
	{"custom-title", 32, v(2, 1, 23), 0, func(t *thread) { t.raw(`,`); t.sized("customTitle", &t.texts.prose, &fieldSize); t.owner() }},
	{"agent-name", 32, v(2, 1, 81), 0, func(t *thread) { t.raw(`,`); t.sized("agentName", &t.texts.prose, &fieldSize); t.owner() }},
	{"mode", 110, v(2, 1, 156), 0, func(t *thread) { t.raw(`,"mode":"normal"`); t.owner() }},
	{"bridge-session", 70, v(2, 1, 143), 0, func(t *thread) {
		t.owner().raw(`,"bridgeSessionId":`).quote("session_" + t.hex(24)).raw(`,"lastSequenceNum":0`)
	}},
	{"pr-link", 4, v(2, 1, 27), 0, func(t *thread) {
		t.owner().raw(`,"prNumber":`).num(t.between(1, 4000)).raw(`,"prUrl":"https://github.com/acme/app/pull/1","prRepository":"acme/app","timestamp":`).time(t.now)
	}},
	{"frame-link", 2, v(2, 1, 228), 0, func(t *thread) {
		t.owner().raw(`,"path":`).quote(path(t.dice)).raw(`,"frameUrl":"https://example.com/frame","title":"Frame","timestamp":`).time(t.now)
	}},
	{"summary", 28, 0, v(2, 1, 30), func(t *thread) {
		t.raw(`,`)
		t.sized("summary", &t.texts.prose, &fieldSize)
		t.raw(`,"leafUuid":`).quote(dashed(t.dice))
	}},
	{"atis-latch", 200, v(2, 1, 240), 0, func(t *thread) { t.raw(`,"latched":true`); t.owner() }},
	{"artifact-autoreact-ledger", 20, v(2, 1, 252), 0, func(t *thread) { t.owner().raw(`,"entries":[]`) }},
	{"artifact-comment-monitor", 10, v(2, 1, 252), 0, func(t *thread) { t.owner().raw(`,"enabled":false`) }},
	{"isolation-latch", 8, v(2, 1, 261), 0, func(t *thread) { t.owner().raw(`,"isolated":false`) }},
	{"observer-ref", 4, v(2, 1, 261), 0, func(t *thread) { t.owner().raw(`,"ref":`).quote(dashed(t.dice)) }},
	{"attribution-snapshot", 10, v(2, 1, 240), 0, func(t *thread) { t.raw(`,"messageId":`).quote(dashed(t.dice)).raw(`,"fileStates":{}`) }},
	{"speculation-accept", 4, v(2, 1, 240), 0, func(t *thread) { t.raw(`,"timeSavedMs":`).num(t.between(100, 9000)).raw(`,"timestamp":`).time(t.now) }},
	{"marble-origami-commit", 2, v(2, 1, 275), 0, func(t *thread) { t.owner() }},
	{"marble-origami-snapshot", 2, v(2, 1, 275), 0, func(t *thread) { t.owner() }},
	{"marble-origami-reset", 1, v(2, 1, 275), 0, func(t *thread) { t.owner() }},
	{"dev-mods", 2, v(2, 1, 275), 0, func(t *thread) { t.owner().raw(`,"mods":[]`) }},
	{"ended-by-model", 1, v(2, 1, 275), 0, func(t *thread) { t.owner() }},
	{"tag", 1, v(2, 1, 160), 0, func(t *thread) { t.raw(`,"tag":"later"`); t.owner() }},
	{"agent-color", .5, v(2, 1, 160), 0, func(t *thread) { t.raw(`,"agentColor":"blue"`); t.owner() }},
}

// remark writes what a turn of this version may leave.
func (t *thread) remark() {
	for i := range remarks {
		r := &remarks[i]
		if t.version >= r.since && (r.before == 0 || t.version < r.before) {
			for range t.times(r.percent) {
				t.note(r.kind, func() { r.write(t) })
			}
		}
	}
}

// queued writes what was in the queue when the model gets to see it.
func (t *thread) queued() {
	t.person()
	t.attach("queued_command", func() {
		t.raw(`,`)
		t.sized("prompt", &t.texts.prose, &fieldSize)
		t.raw(`,"commandMode":"prompt"`)
		if t.version >= v(2, 1, 185) {
			t.raw(`,"origin":{"kind":"human"}`)
		}
	})
	t.books.prompt("queued")
}

// remind writes what Claude Code tells the model by the way.
func (t *thread) remind() {
	if t.version < v(2, 1, 92) {
		return
	}
	if t.version >= v(2, 1, 185) && t.chance(65) {
		t.attachText("total_tokens_reminder", "text", &reminderSize)
	}
	for _, a := range attachments {
		if t.chance(a.percent) {
			t.attachText(a.kind, a.key, a.size)
		}
	}
}

// attachments are what may stand before a response, as often as it was found.
var attachments = []struct {
	kind, key string
	percent   float64
	size      *quantiles
}{
	{"task_reminder", "content", 10, &reminderSize},
	{"todo_reminder", "content", 4, &smallSize},
	{"nested_memory", "content", 2, &webSize},
	{"deferred_tools_delta", "content", 1.5, &webSize},
	{"skill_listing", "content", 6, &listingSize},
	{"file", "content", 1, &webSize},
	{"plan_mode", "content", 1, &smallSize},
	{"edited_text_file", "snippet", .8, &webSize},
	{"command_permissions", "content", .7, &smallSize},
	{"hook_additional_context", "content", .6, &webSize},
	{"hook_system_message", "content", .4, &smallSize},
	{"date_change", "newDate", .2, &smallSize},
	{"diagnostics", "content", .2, &webSize},
	{"invoked_skills", "content", .1, &listingSize},
}

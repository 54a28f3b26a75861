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

// queue writes the operations on the queue of what a person types while Claude
// is at work. Before 2.1.97 nothing else told of it.
func (t *thread) queue() {
	operation := func(name string) *out {
		t.raw(`,"operation":`).quote(name).raw(`,"timestamp":`).time(t.now)
		return t.owner()
	}
	t.note("queue-operation", func() {
		operation("enqueue").raw(`,`)
		t.sized("content", &t.texts.prose, &fieldSize)
	})
	t.pass(t.between(1, 30_000))
	t.note("queue-operation", func() {
		operation(pick(t.dice, []string{"dequeue", "remove", "remove", "popAll"}))
	})
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

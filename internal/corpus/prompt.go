package corpus

// systemCommandsSince is the version since which most local commands are system entries
// instead of user entries.
var systemCommandsSince = v(2, 1, 200)

// markPrompt makes the time unique: prompts with the same time and text would be taken
// for copies.
func (t *transcript) markPrompt() {
	for t.promptTimes[t.tempo.at(t.now)] {
		t.now++
	}
	t.promptTimes[t.tempo.at(t.now)] = true
}

// send writes a prompt, and what Claude Code adds to it.
func (t *transcript) send(p *prompt) {
	content := func() { t.write(&p.Content, &scope{}) }
	if p.Kind == "local_command" && t.version >= systemCommandsSince && t.scope() == "main" && t.chance(86) {
		t.localCommand(p.Command, content)
		t.pass(t.between(0, 30))
		t.system("local_command", func() {
			t.raw(`"content":"`)
			t.write(&p.Then, &scope{}).raw(`","level":"info"`)
		})
		return
	}
	t.markPrompt()
	kind := p.Kind
	if kind == "text" && t.program() {
		kind = "sdk"
	}
	t.user(content, func() { t.promptKeys(p) })
	if p.Kind != "" && t.scope() == "main" {
		t.expected.prompt(kind, p.Command)
	}
	switch {
	case p.Then.source == "":
	case p.Answers:
		t.pass(t.between(0, 30))
		t.user(func() {
			t.raw(`[{"type":"text","text":"`)
			t.write(&p.Then, &scope{})
			t.b = t.texts.kinds["prose"].appendTo(t.b, t.rng, t.drawSize("write"))
			t.raw(`"}]`)
		}, func() { t.raw(`,"isMeta":true`) })
	default:
		t.pass(t.between(0, 30))
		t.user(func() {
			t.raw(`"`)
			t.write(&p.Then, &scope{}).raw(`"`)
		}, nil)
	}
}

// promptKeys writes the keys by which newer versions tell prompts apart.
func (t *transcript) promptKeys(p *prompt) {
	switch {
	case p.Keys != "" || p.Kind == "" || t.version < v(2, 1, 167):
		t.raw(p.Keys)
	case t.program():
		t.raw(`,"promptSource":"sdk"`)
	default:
		t.named("typed_prompt", "")()
	}
}

// program returns whether a program sends the prompts.
func (t *transcript) program() bool { return t.version >= v(2, 1, 78) && t.entrypoint == "sdk-cli" }

// localCommand writes a command that Claude Code runs itself as a system entry.
func (t *transcript) localCommand(name string, content func()) {
	t.markPrompt()
	t.system("local_command", func() {
		t.raw(`"content":`)
		content()
		t.raw(`,"level":"info"`)
	})
	t.records[len(t.records)-1].unique = false // also counted by its time and text
	t.expected.prompt("local_command", name)
}

// interrupt writes that a person stopped the model.
func (t *transcript) interrupt() {
	t.markPrompt()
	text := pick(t.rng, "[Request interrupted by user]", "[Request interrupted by user for tool use]")
	t.user(func() { t.raw(`[{"type":"text","text":`).quote(text).raw(`}]`) }, nil)
	t.records[len(t.records)-1].scoped = true
	t.expected.add("interrupts", "scope="+t.scope(), 1)
}

// queued writes a queued prompt when the model receives it.
func (t *transcript) queued() {
	t.markPrompt()
	t.entry("attachment", "queued_command", t.named("queued_prompt", ""), nil)
	t.expected.prompt("queued", "")
}

// A queueKey identifies a queue operation: equal ones that follow each other are numbered.
type queueKey struct {
	session   string
	time      int64
	operation string
	nth       int
}

// queue writes the queue operations of a prompt that is typed while the model works.
// Before 2.1.97 nothing else recorded it.
func (t *transcript) queue() {
	t.operation("enqueue")
	t.pass(t.between(1, 30_000))
	t.operation(pick(t.rng, "dequeue", "remove", "remove", "popAll"))
}

// queueBurst writes several operations of one kind within a millisecond.
func (s *session) queueBurst() {
	n := s.between(2, 4)
	for range n {
		s.operation("enqueue")
	}
	s.pass(s.between(1, 30_000))
	s.operation("dequeue")
	for range n - 1 {
		s.operation("remove")
	}
	s.operation("popAll")
}

// operation writes a queue operation, and counts it unless it is a copy.
func (t *transcript) operation(name string) {
	t.note("queue-operation", func() {
		t.named("queue_operation", name)()
		if name == "enqueue" {
			t.named("queue_content", "")()
		}
	})
	key := queueKey{session: t.sessionID, time: t.tempo.at(t.now), operation: name}
	if last := t.latest; last.session == key.session && last.time == key.time && last.operation == name {
		key.nth = last.nth + 1
	}
	t.latest = key
	if !t.expected.queued[key] {
		t.expected.queued[key] = true
		t.expected.add("queue_operations", "operation="+name, 1)
	}
}

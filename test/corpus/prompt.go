package corpus

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
	content := func() { t.write(p.Content, nil) }
	then := func() {
		t.raw(`"`)
		t.write(p.Then, nil)
		t.raw(`"`)
	}
	// Newer versions write most local commands as system entries.
	if p.Kind == "local_command" && t.version >= v(2, 1, 200) && t.scope() == "main" && t.chance(86) {
		t.localCommand(p.Command, content)
		t.pass(t.between(0, 30))
		t.localOutput(then)
		return
	}
	t.markPrompt()
	t.user(content, func() {
		switch {
		case p.Keys != "" || p.Kind == "" || t.version < v(2, 1, 167):
			t.raw(p.Keys)
		case t.program():
			t.raw(`,"promptSource":"sdk"`)
		default:
			t.named("typed_prompt", "")()
		}
	})
	if p.Kind != "" && t.scope() == "main" {
		kind := p.Kind
		if kind == "text" && t.program() {
			kind = "sdk"
		}
		t.expected.prompt(kind, p.Command)
	}
	if p.Then == nil {
		return
	}
	t.pass(t.between(0, 30))
	if !p.Answers {
		t.user(then, nil)
		return
	}
	t.user(func() {
		t.raw(`[{"type":"text","text":"`)
		t.write(p.Then, nil)
		t.named("skill", "")()
		t.raw(`"}]`)
	}, func() { t.raw(`,"isMeta":true`) })
}

// program returns whether a program sends the prompts.
func (s *settings) program() bool { return s.version >= v(2, 1, 78) && s.entrypoint == "sdk-cli" }

// localCommand writes a command that Claude Code runs itself as a system entry.
func (t *transcript) localCommand(name string, content func()) {
	t.markPrompt()
	t.localOutput(content)
	t.records[len(t.records)-1].unique = false // also counted by its time and text
	t.expected.prompt("local_command", name)
}

func (t *transcript) localOutput(content func()) {
	t.system("local_command", func() {
		t.raw(`"content":`)
		content()
		t.raw(`,"level":"info"`)
	})
}

// interrupt writes that a person stopped the model.
func (t *transcript) interrupt() {
	t.markPrompt()
	text := pick(t.rng, "[Request interrupted by user]", "[Request interrupted by user for tool use]")
	t.user(func() { t.raw(`[{"type":"text","text":"`, text, `"}]`) }, nil)
	t.records[len(t.records)-1].scoped = true
	t.expected.add("interrupts", "scope="+t.scope(), 1)
}

// queued writes a queued prompt when the model receives it.
func (t *transcript) queued() {
	t.markPrompt()
	t.entry(&scope{kind: "attachment", arg: "queued_command", body: t.named("queued_prompt", "")})
	t.expected.prompt("queued", "")
}

// queue writes the queue operations of a prompt that is typed while the model works.
// Before 2.1.97 nothing else recorded it.
func (t *transcript) queue() {
	t.operations("enqueue")
	t.pass(t.between(1, 30_000))
	t.operations(pick(t.rng, "dequeue", "remove", "remove", "popAll"))
}

// A queueKey identifies a queue operation: equal ones that follow each other are
// numbered.
type queueKey struct {
	session   string
	time      int64
	operation string
	nth       int
}

// operations writes queue operations at one time, and counts those that are no copies.
func (t *transcript) operations(names ...string) {
	for _, name := range names {
		t.note("queue-operation", func() {
			t.named("queue_operation", name)()
			if name == "enqueue" {
				t.named("queue_content", "")()
			}
		})
		key := queueKey{t.sessionID, t.tempo.at(t.now), name, t.latest.nth}
		if key == t.latest {
			key.nth++
		} else {
			key.nth = 0
		}
		t.latest = key
		if !t.expected.queued[key] {
			t.expected.queued[key] = true
			t.expected.add("queue_operations", "operation="+name, 1)
		}
	}
}

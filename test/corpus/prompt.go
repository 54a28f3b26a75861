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
		t.localCommand(content)
		t.pass(t.between(0, 30))
		t.localOutput(then)
		return
	}
	t.session.beginTurn(p.Kind != "")
	if t.program() && t.version >= v(2, 1, 240) && p.Answers {
		t.operations("enqueue", "dequeue")
	}
	t.markPrompt()
	t.user(content, func() {
		switch {
		case p.Keys != "" || p.Kind == "" || t.version < v(2, 1, 167):
			t.raw(p.Keys)
		case t.program():
			t.named("sdk_prompt", "")()
		default:
			t.named("typed_prompt", "")()
		}
	})
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
func (t *transcript) localCommand(content func()) {
	t.markPrompt()
	t.localOutput(content)
	t.records[len(t.records)-1].unique = false // also counted by its time and text
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
}

// queued writes a queued prompt when the model receives it.
func (t *transcript) queued() {
	t.markPrompt()
	t.entry(&scope{kind: "attachment", arg: "queued_command", body: t.named("queued_prompt", "")})
}

// queue writes the queue operations of a prompt that is typed while the model works.
// Before 2.1.97 nothing else recorded it.
func (t *transcript) queue() {
	t.operations("enqueue")
	t.pass(t.between(1, 30_000))
	t.operations(pick(t.rng, "dequeue", "remove", "remove", "popAll"))
}

// operations writes queue operations at one time.
func (t *transcript) operations(names ...string) {
	for _, name := range names {
		t.note("queue-operation", func() {
			t.named("queue_operation", name)()
			if name == "enqueue" {
				t.named("queue_content", "")()
			}
		})
	}
}

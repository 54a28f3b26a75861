package corpus

// agentSize is of the file of a sub-agent.
var agentSize = quantiles{3000, 9000, 26000, 80000, 190000, 420000, 650000, 1300000, 2500000, 3500000}

// agentID draws the name of a sub-agent's file in the way of the version.
func (s *session) agentID() string {
	switch {
	case s.version < v(2, 0, 72):
		return s.free("", 8)
	case s.version < v(2, 1, 50):
		return s.free("", 7)
	}
	return s.free("a", 16)
}

// free draws an id of so many digits that is not taken.
func (w *world) free(prefix string, digits int) string {
	for {
		if id := prefix + w.hex(digits); !w.agents[id] {
			w.agents[id] = true
			return id
		}
	}
}

// subagent begins the conversation of a sub-agent in a file of its own.
func (s *session) subagent(id, below string, start int64) *thread {
	dir := s.root() + "/subagents" + below
	switch {
	case s.version < v(2, 1, 9):
		dir = s.dir
	case below == "" && s.chance(.1):
		dir = s.root()
	}
	f := &file{world: s.world, setting: s.setting, path: dir + "/agent-" + id + ".jsonl", agent: id, side: true, now: start}
	t := s.newThread(f)
	if s.era.sub != nil {
		t.streams = s.era.sub
	}
	return t
}

// task lets a sub-agent do a task until its file has a size.
func (t *thread) task(prompt []byte, size int) {
	t.user("", func() { t.raw(`"`).bytes(prompt).raw(`"`) })
	from := len(t.b)
	for len(t.b)-from < size {
		t.work()
		if t.full() {
			t.compact("auto")
		}
	}
	if t.agent != "" && t.chance(3) {
		t.interrupt()
		return
	}
	t.conclude()
}

// delegate has a sub-agent do what a call asks for. Long ago it did so within
// the file of the session.
func (t *thread) delegate(c *call) {
	prompt := append([]byte("You are asked to "), t.b[c.new.from:c.new.to]...)
	if t.version < v(2, 0, 28) {
		t.inline(func() { t.task(prompt, agentSize.of(t.dice)/4) })
		return
	}
	s := t.home
	c.agent = s.subagent(s.agentID(), "", c.at+int64(t.between(5, 400)))
	c.agent.task(prompt, min(agentSize.of(t.dice), s.target))
	s.books.subagent("task")
	if t.version >= v(2, 1, 9) && t.version <= v(2, 1, 81) {
		t.follow(c)
	}
	t.now = max(t.now, c.agent.now)
}

// inline runs a side chain within this file.
func (t *thread) inline(run func()) {
	context, waiting := t.context, t.waiting
	t.side, t.context, t.waiting = true, t.between(6000, 12000), nil
	run()
	t.side, t.context, t.waiting = false, context, waiting
}

// follow repeats what a sub-agent does as progress, message by message, with
// usage and all.
func (t *thread) follow(c *call) {
	for i := range c.agent.marks {
		m := &c.agent.marks[i]
		if m.message.to == 0 || t.chance(12) {
			continue
		}
		t.progress("agent_progress", c.id, func() {
			t.raw(`"message":{"type":`).quote(m.kind).raw(`,"timestamp":`).time(t.now)
			t.raw(`,"message":`).bytes(c.agent.b[m.message.from:m.message.to])
			t.raw(`,"uuid":"`).bytes(c.agent.b[m.uuid : m.uuid+len(uuid{})]).raw(`"},"normalizedMessages":[],"prompt":"`).again(c.new)
			t.raw(`","agentId":`).quote(c.agent.agent).raw(`,`)
		})
	}
}

func agentContent(t *thread, _ *call) {
	t.b = t.texts.prose.appendTo(t.b, t.dice, wordsSize.of(t.dice)+400)
}

// agentDetail repeats the usage of the sub-agent's last message, which is in
// the sub-agent's file.
func agentDetail(t *thread, c *call) {
	t.raw(`"status":"completed",`)
	t.copied("prompt", c.new).raw(`,"content":[{"type":"text",`)
	t.copied("text", c.text).raw(`}],"totalDurationMs":`).num(int(t.now - c.at)).raw(`,"totalTokens":`).num(t.context)
	t.raw(`,"totalToolUseCount":`).num(t.between(1, 30))
	if c.agent != nil {
		t.raw(`,"agentId":`).quote(c.agent.agent)
	}
	t.raw(`,"usage":`)
	t.usage(&usage{input: 3, output: t.between(100, 2000), read: t.between(10000, 90000), written5m: 400}, form{})
}

// warmup is a sub-agent that does nothing but fill the cache.
func (s *session) warmup() {
	chat := func(t *thread) {
		t.user("", func() { t.quote("Warmup") })
		t.conclude()
	}
	if s.version < v(2, 0, 28) {
		s.inline(func() { chat(s.thread) })
		return
	}
	chat(s.subagent(s.agentID(), "", s.now))
	s.books.subagent("warmup")
}

// workflow is some sub-agents that follow a plan, with a journal that is no
// transcript.
func (s *session) workflow() {
	run := "/workflows/wf_" + s.hex(8)
	for range s.between(1, 4) {
		t := s.subagent(s.agentID(), run, s.now)
		t.task([]byte("Do the next step."), s.between(2000, 60000))
		s.books.subagent("workflow")
	}
	s.aside(s.root()+"/subagents"+run+"/journal.jsonl", `{"type":"started","key":"v2:0123","agentId":"a0"}`+"\n"+
		`{"type":"result","key":"v2:0123","agentId":"a0","result":{"usage":{"input_tokens":5,"output_tokens":7}}}`+"\n")
}

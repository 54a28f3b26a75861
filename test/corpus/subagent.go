package corpus

// agentID draws the id of a sub-agent as the version does.
func (s *session) agentID() string {
	switch {
	case s.version < v(2, 0, 72):
		return s.unusedID("", 8)
	case s.version < v(2, 1, 50):
		return s.unusedID("", 7)
	}
	return s.unusedID("a", 16)
}

// unusedID draws the id of a sub-agent that no other has.
func (g *generator) unusedID(prefix string, digits int) string {
	id := prefix + g.hex(digits)
	for g.agents[id] {
		id = prefix + g.hex(digits)
	}
	g.agents[id] = true
	return id
}

// subagent begins the transcript of a sub-agent. below is a directory
// for those of a workflow.
func (s *session) subagent(kind, id, below string, start int64) *transcript {
	dir := s.sessionID + "/subagents" + below + "/"
	switch {
	case s.version < v(2, 1, 9):
		dir = ""
	case below == "" && s.chance(.1):
		dir = s.sessionID + "/"
	}
	t := s.begin(s.settings, dir+"agent-"+id, start)
	t.agent, t.side = id, true
	if s.era.Sub != nil {
		t.streams = s.era.Sub
	}
	t.beginAgent(kind)
	return t
}

// task lets a sub-agent work until its transcript has a size.
func (t *transcript) task(prompt string, size int) {
	t.userText(prompt)
	from := len(t.b)
	for len(t.b)-from < size {
		t.work()
		t.compactIfFull()
	}
	if t.agent != "" && t.chance(3) {
		t.interrupt()
		return
	}
	t.conclude()
}

// delegate has a sub-agent do what a call asks for. Early versions wrote it to the
// transcript of the session.
func (t *transcript) delegate(c *call) {
	task := c.saved[savedNew]
	prompt := "You are asked to " + string(t.b[task.from:task.to])
	size := t.drawSize("agent_file")
	if t.version < v(2, 0, 28) {
		t.inline(func() { t.task(prompt, size/4) })
		return
	}
	s := t.session
	c.callee = s.subagent("task", s.agentID(), "", c.at+int64(t.between(5, 400)))
	c.callee.task(prompt, min(size, s.target))
	if t.launch(c) {
		return
	}
	if t.version >= v(2, 1, 9) && t.version <= v(2, 1, 81) {
		t.agentProgress(c)
	}
	t.now = max(t.now, c.callee.now)
}

// inline runs a side chain within this transcript.
func (t *transcript) inline(run func()) {
	context, waiting := t.context, t.waiting
	t.side, t.context, t.waiting = true, t.between(6000, 12000), nil
	run()
	t.side, t.context, t.waiting = false, context, waiting
}

// agentProgress repeats the messages of a sub-agent, with their usage, as progress.
func (t *transcript) agentProgress(c *call) {
	a := c.callee
	for i := range a.records {
		m := &a.records[i]
		if m.message.to == 0 || t.chance(12) {
			continue
		}
		t.progress("agent_progress", c.id, func() {
			t.raw(`"message":{"type":"`, m.kind, `","timestamp":"`)
			t.time(t.tempo.at(t.now))
			t.raw(`","message":`)
			t.b = append(t.b, a.b[m.message.from:m.message.to]...)
			t.raw(`,"uuid":"`, m.uuid, `"},"normalizedMessages":[],"prompt":"`)
			t.again(c.saved[savedNew])
			t.raw(`","agentId":"`, a.agent, `"`)
		})
	}
}

// warmup writes a sub-agent that only fills the cache.
func (s *session) warmup() {
	chat := func(t *transcript) {
		t.userText("Warmup")
		t.conclude()
	}
	if s.version < v(2, 0, 28) {
		s.inline(func() { chat(s.transcript) })
		return
	}
	chat(s.subagent("warmup", s.agentID(), "", s.now))
}

// workflow writes sub-agents that follow a plan, with a journal that is no transcript.
func (s *session) workflow() {
	run := "/workflows/wf_" + s.hex(8)
	for range s.between(1, 4) {
		s.subagent("workflow", s.agentID(), run, s.now).task("Do the next step.", s.between(2000, 60000))
	}
	s.aside(s.root()+"/subagents"+run+"/journal.jsonl", `{"type":"started","key":"v2:0123","agentId":"a0"}`+"\n"+
		`{"type":"result","key":"v2:0123","agentId":"a0","result":{"usage":{"input_tokens":5,"output_tokens":7}}}`+"\n")
}

// namedFork writes a sub-agent that refers to the conversation instead of copying it.
func (s *session) namedFork() {
	t := s.subagent("task", s.agentID()+"-fork", "", s.now)
	t.note("fork-context-ref", t.named("fork-context-ref", s.parent))
	t.task("Go on from here.", s.between(2000, 30000))
}

// troubledAgent writes a sub-agent that is compacted, interrupted and resumed in its
// own transcript.
func (s *session) troubledAgent() {
	t := s.subagent("task", s.agentID(), "", s.now)
	t.task("Find out why.", s.between(2000, 30000))
	t.compact("auto")
	t.work()
	t.interrupt()
	t.repeat(0, false)
	t.conclude()
}

// interruptedAgent writes a sub-agent that the user interrupts.
func (s *session) interruptedAgent() {
	t := s.subagent("task", s.agentID(), "", s.now)
	t.task("Look around.", s.between(2000, 30000))
	t.work()
	t.interrupt()
}

// replay writes a sub-agent of Claude Code itself: a copy of the latest conversation
// and one message of its own.
func (s *session) replay(kind string) {
	most := map[string]int{"compact": 400, "prompt_suggestion": 12, "side_question": 40}[kind]
	t := s.subagent(kind, s.unusedID("a"+kind+"-", 6), "", s.now+int64(s.between(1, 900)))
	c := copying{agent: t.agent}
	first := max(s.fresh, len(s.records)-most)
	for first < len(s.records) && !s.records[first].clear {
		first++ // nothing may be cut in two
	}
	if s.chance(10) {
		c.better, c.worse = s.improve(first)
	}
	for i := first; i < len(s.records); i++ {
		if m := &s.records[i]; m.copyable() && !m.scoped {
			t.copy(s.transcript, m, c)
		}
	}
	t.userText(`Your task is to look back at the conversation so far.\n`)
	t.context = s.context
	t.conclude()
}

// improve finds a message, from a record on, of which only a placeholder was written,
// and gives it its true count, which only a copy has. It returns the original outcome,
// too.
func (s *session) improve(first int) (better *message, worse string) {
	for i := first; i < len(s.records); i++ {
		m := s.records[i].said
		if m == nil || m.stream != placeholders || m.improved {
			continue
		}
		worse = s.outcome(m)
		s.count(m, -1)
		m.usage[output], m.stream, m.improved = s.drawSize("output_tokens"), allFinal, true
		s.count(m, 1)
		return m, worse
	}
	return nil, ""
}

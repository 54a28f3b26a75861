package corpus

// asyncSince is the first version of the corpus whose sub-agents run in the background
// unless people switch that off.
var asyncSince = v(2, 1, 311)

// launch has a sub-agent of a session run in the background: the result of the call
// states that it was launched, and a notification begins a further turn when it is
// done. It returns false if it does not run in the background.
func (t *transcript) launch(c *call) bool {
	if t.version < asyncSince || t.foreground || t.scope() != "main" {
		return false
	}
	background := *c.tool
	background.Result, background.Detail = t.Templates["launched"], t.Templates["launched_detail"]
	c.tool = &background
	t.pass(t.between(10, 60))
	t.session.running = append(t.session.running, c.callee)
	return true
}

// notifications have a turn for each sub-agent that ran in the background.
func (s *session) notifications() {
	for len(s.running) > 0 {
		agent := s.running[0]
		s.running = s.running[1:]
		s.now = max(s.now, agent.now)
		s.pass(s.between(5, 90))
		s.notify(agent)
	}
}

// notify writes that a sub-agent is done, and the turn that this begins.
func (s *session) notify(agent *transcript) {
	text := s.text(s.Templates["agent_notification"], &scope{arg: agent.agent})
	s.note("queue-operation", func() {
		s.named("queue_operation", "enqueue")()
		s.raw(`,"content":"`, text, `"`)
	})
	s.operations("dequeue")
	s.beginTurn(false)
	s.user(s.named("resumed", ""), s.named("notification_meta", ""))
	s.user(func() { s.raw(`"`, text, `"`) }, s.named("notification_prompt", ""))
	s.conclude()
	s.endTurn()
}

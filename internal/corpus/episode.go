package corpus

import "slices"

// An episode is something that happens to a session between two turns. Each is
// in every corpus at least once, but for those that are big.
type episode struct {
	percent       float64 // of the turns
	since, before version
	play          func(*session)
	big           bool
}

func (e *episode) fits(n version) bool { return n >= e.since && (e.before == 0 || n < e.before) }

// episodes are all of them, as often as they were found.
func episodes() []episode {
	all := []episode{
		{percent: 8, play: func(s *session) { s.work(); s.interrupt() }},
		{percent: .5, play: func(s *session) { s.compact("manual") }},
		{percent: .3, play: func(s *session) { s.compact("auto") }},
		{percent: .05, before: v(2, 0, 30), play: func(s *session) { s.compact("") }},
		{percent: .5, since: v(2, 1, 12), before: v(2, 1, 42), play: func(s *session) { s.microcompact() }},
		{percent: .1, since: v(2, 1, 1), play: func(s *session) { s.duration(s.now - int64(s.between(2_000, 900_000))) }},
		{percent: 2, since: v(2, 0, 19), before: v(2, 0, 77), play: (*session).warmup},
		{percent: 5, since: v(2, 1, 23), before: v(2, 1, 98), play: func(s *session) { s.replay("prompt_suggestion") }},
		{percent: .4, since: v(2, 1, 70), before: v(2, 1, 98), play: func(s *session) { s.replay("side_question") }},
		{percent: .05, since: v(2, 1, 23), before: v(2, 1, 98), play: func(s *session) { s.replay("compact") }},
		{percent: .8, since: v(2, 1, 154), play: (*session).workflow},
		{percent: .2, since: v(2, 1, 220), play: (*session).namedFork},
		{percent: .6, play: func(s *session) { s.fork(copying{}) }},
		{percent: .2, play: func(s *session) { s.fork(copying{renamed: true}) }},
		{percent: .1, since: v(2, 1, 23), play: func(s *session) { s.fork(copying{renamed: true, told: true}) }},
		{percent: .1, before: v(2, 1, 9), play: func(s *session) { s.fork(copying{renamed: true, session: s.sessionID}) }},
		{percent: .5, since: v(2, 0, 28), before: v(2, 0, 37), play: func(s *session) { s.relive(s.fresh, true); s.ended() }},
		{percent: .05, since: v(2, 1, 97), play: func(s *session) { s.relive(s.fresh, false); s.ended() }},
		{percent: .1, since: v(2, 1, 49), play: (*session).trouble},
		{percent: .3, play: func(s *session) { s.respond(plan{tools: s.named("Bash", "Read", "Bash"), together: true}) }},
		{percent: .05, since: v(2, 1, 76), play: func(s *session) { s.respond(plan{tools: s.named("Read"), early: true}) }},
		{percent: .1, since: v(2, 1, 9), before: v(2, 1, 63), play: func(s *session) { s.respond(plan{tools: s.named("Task"), well: true}) }},
		{percent: .3, since: v(2, 1, 50), play: (*session).searchOnServer},
		{percent: .6, since: v(2, 1, 98), play: (*session).askAdvisor},
		{percent: .1, since: v(2, 1, 97), play: func(s *session) { s.queue(); s.queued() }},
		{percent: .2, since: v(2, 1, 97), play: (*session).notified},
		{percent: .6, since: v(2, 0, 72), play: (*session).queueBurst},
		{percent: .6, since: v(2, 1, 260), play: (*session).compactOnServer},
		{percent: .2, since: v(2, 1, 260), play: (*session).fallBack},
		{percent: 1, since: costStateSince, play: (*session).resume},
		{percent: .3, since: costStateSince, play: (*session).restart},
		{percent: .3, since: costStateSince, play: (*session).misreport},
		{percent: .3, since: v(2, 1, 240), play: (*session).background},
		{percent: .2, since: v(2, 1, 169), play: (*session).duplicate},
		{percent: .1, since: v(2, 1, 169), play: (*session).clone},
		{percent: .2, since: v(2, 1, 287), play: (*session).collectGarbage},
		{percent: 1, play: (*session).orphan},
		{percent: 1, play: func(s *session) { s.synthetic("No response requested.", func() {}) }},
		{percent: .3, play: (*session).future},
		{percent: .3, play: func(s *session) {
			s.note(pick(s.dice, futureNotes), func() { s.raw(`,"state":{"tokens":"none","step":3}`); s.owner() })
		}},
		{percent: .6, play: (*session).spill},
		{percent: .15, play: (*session).hugeLine, big: true},
	}
	all = append(all, notices()...)
	all = append(all, damages()...)
	return append(all, rows()...)
}

// rows makes an episode of every row of the tables of what may go wrong.
func rows() []episode {
	var all []episode
	for i := range failures {
		all = append(all, episode{percent: .05, play: func(s *session) { s.respond(plan{tools: s.named("Bash"), fail: &failures[i]}) }})
	}
	for i := range apiFailures {
		f := &apiFailures[i]
		all = append(all, episode{percent: float64(f.weight) / 20, since: f.since, before: f.before, play: func(s *session) { s.apiError(f) }})
	}
	for i := range retries {
		all = append(all, episode{percent: .3, since: v(2, 0, 28), before: v(2, 1, 168), play: func(s *session) { s.retried(&retries[i], s.between(1, 4)) }})
	}
	for i := range remarks { // turns have them anyway
		r := &remarks[i]
		all = append(all, episode{since: r.since, before: r.before, play: func(s *session) {
			s.note(r.kind, func() { r.write(s.thread) })
		}})
	}
	for i := range prompts {
		p := &prompts[i]
		all = append(all, episode{percent: .01, since: p.since, play: func(s *session) {
			s.send(p)
			if p.answers {
				s.conclude()
			}
			s.ended()
		}})
	}
	return all
}

// notices are entries of the system that count for nothing.
func notices() []episode {
	tell := func(subtype, keys string) func(*session) {
		return func(s *session) {
			s.notice(subtype, func() { s.raw(`,`).raw(keys) })
		}
	}
	return []episode{
		{percent: 20, since: v(2, 1, 108), play: func(s *session) {
			s.notice("away_summary", func() {
				s.raw(`,`)
				s.sized("content", &s.texts.prose, &smallSize)
			})
		}},
		{percent: 4, since: v(2, 0, 15), play: func(s *session) {
			s.localCommand("permissions", func() { s.quote(`<command-name>/permissions</command-name>`) })
		}},
		{percent: 3, since: v(2, 1, 240), play: tell("agents_killed", `"content":"2 background agents were stopped","level":"info"`)},
		{percent: 2, since: v(2, 1, 240), play: tell("init", `"content":"Session initialized","model":"claude-opus-5"`)},
		{percent: 3, since: v(2, 1, 114), play: tell("scheduled_task_fire", `"content":"Running scheduled task"`)},
		{percent: 1, since: v(2, 1, 59), play: tell("bridge_status", `"content":"/remote-control is active","url":"https://claude.ai/code/session_1"`)},
		{percent: .5, since: v(2, 1, 97), play: tell("informational", `"content":"Auto mode needs a permission","level":"warning"`)},
	}
}

// orphan writes a result whose call is nowhere.
func (s *session) orphan() {
	s.user("", func() {
		s.raw(`[{"type":"tool_result","tool_use_id":`).quote(s.provider.tool(s.dice)).raw(`,"content":`)
		s.text(&s.texts.output, s.dice, bashSize.of(s.dice)).raw(`}]`)
	})
	s.books.orphan()
}

// searchOnServer has a tool run on the server, which answers within the message.
func (s *session) searchOnServer() {
	m := s.response("end_turn", func(u *usage) { u.searches, u.fetches = 1, s.IntN(2) })
	id, at := "srvtoolu_01"+s.hex(22), s.now
	s.say(m, false, func() {
		s.raw(`{"type":"server_tool_use","id":`).quote(id).raw(`,"name":"web_search","input":{`)
		s.sized("query", &s.texts.prose, &fieldSize)
		s.raw(`}}`)
	})
	s.pass(netTime.of(s.dice))
	s.books.call("web_search")
	s.books.result("web_search", "", s.since(at))
	s.say(m, false, func() {
		s.raw(`{"type":"web_search_tool_result","tool_use_id":`).quote(id)
		s.raw(`,"content":[{"type":"web_search_result","title":"Example","url":"https://example.com","encrypted_content":`)
		s.base64(s.texts, s.dice, s.between(500, 6000)).raw(`}]}`)
	})
	s.say(m, true, s.words)
}

// askAdvisor has another model asked for a response.
func (s *session) askAdvisor() {
	m := s.response("end_turn", func(u *usage) {
		u.iterations = []iteration{s.advice()}
	})
	s.say(m, true, s.words)
}

// hugeLine has a tool give back megabytes.
func (s *session) hugeLine() {
	size := float64(s.between(1<<19, 1<<20)) * (1 + 1.5*s.Float64())
	s.respond(plan{tools: []*tool{{
		name: "Bash", input: bashInput, detail: bashDetail, kind: output, time: &bashTime,
		size: &quantiles{size, size, size, size, size, size, size, size, size, size},
	}}})
}

// namedFork is a sub-agent that refers to the conversation instead of copying it.
func (s *session) namedFork() {
	t := s.subagent(s.agentID()+"-fork", "", s.now)
	t.note("fork-context-ref", func() {
		t.raw(`,"agentId":`).quote(t.agent).raw(`,"parentSessionId":`).quote(s.sessionID)
		t.raw(`,"parentLastUuid":"`).bytes(s.parent[:]).raw(`","contextLength":`).num(s.between(10, 2000))
	})
	t.task([]byte("Go on from here."), s.between(2000, 30000))
	s.books.subagent("task")
}

// notified is something in the queue that no one typed.
func (s *session) notified() {
	s.attach("queued_command", func() {
		s.raw(`,"prompt":"<task-notification>\n<task-id>b1</task-id>\n</task-notification>","commandMode":"task-notification"`)
	})
}

// named returns tools that this version has.
func (s *session) named(names ...string) []*tool {
	all := make([]*tool, len(names))
	for i, name := range names {
		all[i] = &s.tools[slices.IndexFunc(s.tools, func(u tool) bool { return u.name == name })]
	}
	return all
}

// trouble is a sub-agent to which everything happens: it runs full, it is
// stopped, and it is written a second time when it goes on.
func (s *session) trouble() {
	t := s.subagent(s.agentID(), "", s.now)
	t.task([]byte("Find out why."), s.between(2000, 30000))
	t.compact("auto")
	t.work()
	t.interrupt()
	t.relive(0, false)
	t.conclude()
	s.books.subagent("task")
}

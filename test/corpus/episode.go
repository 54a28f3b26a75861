package corpus

import "slices"

// An episode is something that happens to a session between two turns. Each occurs at
// least once in every corpus.
type episode struct {
	frequency
	play func(*session)
}

// often returns the frequency of an episode, in percent of the turns.
func often(percent float64, since, before version) frequency {
	return frequency{Percent: percent, Since: since, Before: before}
}

// allEpisodes returns the episodes, as common as they were found.
func (f *format) allEpisodes() []episode {
	all := []episode{
		{often(8, 0, 0), func(s *session) { s.work(); s.interrupt() }},
		{often(.5, 0, 0), func(s *session) { s.compact("manual") }},
		{often(.3, 0, 0), func(s *session) { s.compact("auto") }},
		{often(.05, 0, v(2, 0, 30)), func(s *session) { s.compact("") }},
		{often(.1, v(2, 1, 1), 0), func(s *session) { s.turnDuration(s.between(2_000, 900_000)) }},
		{often(2, v(2, 0, 19), v(2, 0, 77)), (*session).warmup},
		{often(5, v(2, 1, 23), v(2, 1, 98)), func(s *session) { s.replay("prompt_suggestion") }},
		{often(.4, v(2, 1, 70), v(2, 1, 98)), func(s *session) { s.replay("side_question") }},
		{often(.05, v(2, 1, 23), v(2, 1, 98)), func(s *session) { s.replay("compact") }},
		{often(.8, v(2, 1, 154), 0), (*session).workflow},
		{often(.2, v(2, 1, 220), 0), (*session).namedFork},
		{often(.6, 0, 0), func(s *session) { s.fork(copying{}, false) }},
		{often(.2, copiesSince, 0), func(s *session) { s.fork(copying{}, false) }},
		{often(.4, v(2, 1, 260), 0), (*session).cutOff},
		{often(.2, requestsSince, 0), (*session).throughProxy},
		{often(.2, v(2, 1, 143), 0), func(s *session) { s.respond(plan{tools: s.tools("WebSearch"), well: true}) }},
		{often(.4, asyncSince, 0), func(s *session) {
			s.respond(plan{tools: s.tools("Agent"), well: true})
			s.conclude()
			s.endTurn()
			s.notifications()
		}},
		{often(.2, 0, 0), func(s *session) { s.fork(copying{renamed: true}, false) }},
		{often(.1, v(2, 1, 23), 0), func(s *session) { s.fork(copying{renamed: true, origin: true}, false) }},
		{often(.1, 0, v(2, 1, 9)), func(s *session) { s.fork(copying{renamed: true, session: s.sessionID}, false) }},
		{often(.5, v(2, 0, 28), v(2, 0, 37)), func(s *session) { s.repeat(s.fresh, true); s.endTurn() }},
		{often(.05, v(2, 1, 97), 0), func(s *session) { s.repeat(s.fresh, false); s.endTurn() }},
		{often(.1, v(2, 1, 49), 0), (*session).troubledAgent},
		{often(.1, v(2, 1, 49), 0), (*session).interruptedAgent},
		{often(.3, 0, 0), func(s *session) { s.respond(plan{tools: s.tools("Bash", "Read", "Bash"), together: true}) }},
		{often(.05, v(2, 1, 76), 0), func(s *session) { s.respond(plan{tools: s.tools("Read"), early: true}) }},
		{often(.1, v(2, 1, 9), v(2, 1, 63)), func(s *session) { s.respond(plan{tools: s.tools("Task"), well: true}) }},
		{often(.1, v(2, 0, 20), 0), func(s *session) { s.respond(plan{tools: s.tools("Skill")}) }},
		{often(.2, v(2, 1, 156), 0), func(s *session) { s.respond(plan{tools: []*tool{s.committing()}, well: true}) }},
		{often(.3, v(2, 1, 50), 0), (*session).searchOnServer},
		{often(.6, v(2, 1, 98), 0), func(s *session) { s.sayWith("end_turn", s.advice()) }},
		{often(.1, v(2, 1, 97), 0), func(s *session) { s.queue(); s.queued() }},
		{often(.6, v(2, 0, 72), 0), func(s *session) {
			s.operations("enqueue", "enqueue", "enqueue")
			s.pass(s.between(1, 30_000))
			s.operations("dequeue", "remove", "remove", "popAll")
		}},
		{often(.6, v(2, 1, 260), 0), (*session).compactOnServer},
		{often(.2, v(2, 1, 260), 0), (*session).fallBack},
		{often(.6, fastSince, 0), (*session).hurry},
		{often(.3, v(2, 1, 97), 0), (*session).switchToUnpriced},
		{often(1, costStateSince, 0), func(s *session) { s.reportCosts(); s.pass(s.between(60_000, 3_600_000)) }},
		{often(.3, costStateSince, 0), (*session).restart},
		{often(.3, costStateSince, 0), (*session).misreport},
		{often(.3, v(2, 1, 240), 0), (*session).continueInBackground},
		{often(.2, v(2, 1, 169), 0), func(s *session) { s.duplicate(false) }},
		{often(.1, v(2, 1, 169), 0), func(s *session) { s.duplicate(true) }},
		{often(.2, v(2, 1, 287), 0), (*session).collectGarbage},
		{often(.6, 0, 0), (*session).addAsides},
		{often(3, 0, 0), (*session).changeDirectory},
		{often(4, v(2, 0, 15), 0), func(s *session) {
			s.localCommand(func() { s.raw(`"<command-name>/permissions</command-name>"`) })
		}},
	}
	for _, kind := range []string{"glued", "torn", "garbage", "not_object", "zeros", "carriage_return"} {
		all = append(all, episode{often(.04, 0, 0), func(s *session) { s.damage(kind) }})
	}
	for i := range f.Entries {
		r := &f.Entries[i]
		all = append(all, episode{r.frequency, func(s *session) { s.writeRow(r) }})
	}
	for i := range f.Failures {
		fail := &f.Failures[i]
		all = append(all, episode{often(.05, fail.Since, 0), func(s *session) {
			s.respond(plan{tools: s.tools("Bash"), fail: fail})
		}})
	}
	for i := range f.Prompts {
		p := &f.Prompts[i]
		all = append(all, episode{often(.01, p.Since, 0), func(s *session) {
			s.send(p)
			if p.Answers {
				s.conclude()
			}
			s.endTurn()
		}})
	}
	return all
}

func (t *transcript) writeRow(r *row) {
	body := func() { t.write(r.JSON, &scope{}) }
	switch {
	case t.noAlarms && r.Alarm:
	case r.Kind == "note":
		t.note(r.Type, body)
	default:
		t.entry(&scope{kind: r.Kind, layout: r.Layout, arg: r.Type, body: body, tail: func() { t.write(r.Keys, nil) }})
		t.pass(t.between(5, 4000))
	}
}

func (f *format) tools(names ...string) []*tool {
	var all []*tool
	for _, name := range names {
		all = append(all, &f.Tools[slices.IndexFunc(f.Tools, func(u tool) bool { return u.Name == name })])
	}
	return all
}

// committing returns a shell command that makes a commit.
func (s *session) committing() *tool {
	u := *s.tools("Bash")[0]
	u.Detail = append(slices.Clip(u.Detail), s.Templates["commit"]...)
	return &u
}

// searchOnServer uses a tool of the server, whose result is in the same message.
func (s *session) searchOnServer() {
	m := s.response("end_turn", func(m *message) { m.usage[searches], m.usage[fetches] = 1, s.IntN(2) })
	id := "srvtoolu_01" + s.hex(22)
	s.say(m, false, s.named("server_search", id))
	s.pass(s.drawSize("network_time"))
	s.say(m, false, s.named("server_result", id))
	s.say(m, true, s.named("text", ""))
}

// sayWith writes a response of several requests.
func (s *session) sayWith(stop string, iterations ...iteration) {
	s.say(s.response(stop, func(m *message) { m.iterations = iterations }), true, s.named("text", ""))
}

// advice draws a request to an advisor.
func (s *session) advice() iteration {
	return iteration{"advisor_message", pick(s.rng, s.era.Models...), usage{
		input: s.between(100, 9000), output: s.between(50, 900), read: s.IntN(40000),
	}}
}

// compactOnServer has the API compact the context within a response, which may ask an
// advisor, too.
func (s *session) compactOnServer() {
	all := []iteration{{"compaction", pick(s.rng, "", "claude-sonnet-5", "claude-haiku-4-5-20251001"), usage{
		input: s.between(90_000, 180_000), output: s.between(1000, 6000), read: s.IntN(40_000), written: s.IntN(9000),
	}}}
	if s.chance(50) {
		all = append(all, s.advice())
	}
	s.sayWith(pick(s.rng, "compaction", "end_turn"), all...)
}

// fallBack gives a request up in favor of another model. Its tokens are reported, but
// do not count.
func (s *session) fallBack() {
	var all []iteration
	for _, kind := range []string{"fallback_message", "message", unknownIteration} {
		if kind != unknownIteration || !s.noAlarms {
			u := usage{input: s.between(10, 9000), output: s.between(1, 90)}
			all = append(all, iteration{kind, "claude-fallback-" + s.hex(1), u})
		}
	}
	s.sayWith("end_turn", all...)
}

// hugeLine has a tool return megabytes.
func (s *session) hugeLine() {
	huge := *s.tools("Bash")[0]
	huge.Result = s.Templates["huge"]
	s.respond(plan{tools: []*tool{&huge}})
}

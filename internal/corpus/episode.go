package corpus

import "strconv"

// An episode is something that happens to a session between two turns. Each occurs at
// least once in every corpus, except those that write megabytes.
type episode struct {
	frequency
	play func(*session)
	huge bool
}

// often returns the frequency of an episode, in percent of the turns.
func often(percent float64, since, before version) frequency {
	return frequency{Percent: percent, Since: since, Before: before}
}

// allEpisodes returns the episodes, as common as they were found.
func (g *generator) allEpisodes() []episode {
	all := []episode{
		{often(8, 0, 0), func(s *session) { s.work(); s.interrupt() }, false},
		{often(.5, 0, 0), func(s *session) { s.compact("manual") }, false},
		{often(.3, 0, 0), func(s *session) { s.compact("auto") }, false},
		{often(.05, 0, v(2, 0, 30)), func(s *session) { s.compact("") }, false},
		{often(.1, v(2, 1, 1), 0), func(s *session) { s.turnDuration(s.between(2_000, 900_000)) }, false},
		{often(2, v(2, 0, 19), v(2, 0, 77)), (*session).warmup, false},
		{often(5, v(2, 1, 23), v(2, 1, 98)), func(s *session) { s.replay("prompt_suggestion") }, false},
		{often(.4, v(2, 1, 70), v(2, 1, 98)), func(s *session) { s.replay("side_question") }, false},
		{often(.05, v(2, 1, 23), v(2, 1, 98)), func(s *session) { s.replay("compact") }, false},
		{often(.8, v(2, 1, 154), 0), (*session).workflow, false},
		{often(.2, v(2, 1, 220), 0), (*session).namedFork, false},
		{often(.6, 0, 0), func(s *session) { s.fork(copying{}, false) }, false},
		{often(.2, 0, 0), func(s *session) { s.fork(copying{renamed: true}, false) }, false},
		{often(.1, v(2, 1, 23), 0), func(s *session) { s.fork(copying{renamed: true, origin: true}, false) }, false},
		{often(.1, 0, v(2, 1, 9)), func(s *session) { s.fork(copying{renamed: true, session: s.sessionID}, false) }, false},
		{often(.5, v(2, 0, 28), v(2, 0, 37)), func(s *session) { s.repeat(s.fresh, true); s.endTurn() }, false},
		{often(.05, v(2, 1, 97), 0), func(s *session) { s.repeat(s.fresh, false); s.endTurn() }, false},
		{often(.1, v(2, 1, 49), 0), (*session).troubledAgent, false},
		{often(.3, 0, 0), func(s *session) { s.respond(plan{tools: s.tools("Bash", "Read", "Bash"), together: true}) }, false},
		{often(.05, v(2, 1, 76), 0), func(s *session) { s.respond(plan{tools: s.tools("Read"), early: true}) }, false},
		{often(.1, v(2, 1, 9), v(2, 1, 63)), func(s *session) { s.respond(plan{tools: s.tools("Task"), well: true}) }, false},
		{often(.3, v(2, 1, 50), 0), (*session).searchOnServer, false},
		{often(.6, v(2, 1, 98), 0), func(s *session) { s.sayWith("end_turn", s.advice()) }, false},
		{often(.1, v(2, 1, 97), 0), func(s *session) { s.queue(); s.queued() }, false},
		{often(.6, v(2, 0, 72), 0), (*session).queueBurst, false},
		{often(.6, v(2, 1, 260), 0), (*session).compactOnServer, false},
		{often(.2, v(2, 1, 260), 0), (*session).fallBack, false},
		{often(1, costStateSince, 0), (*session).resume, false},
		{often(.3, costStateSince, 0), (*session).restart, false},
		{often(.3, costStateSince, 0), (*session).misreport, false},
		{often(.3, v(2, 1, 240), 0), (*session).continueInBackground, false},
		{often(.2, v(2, 1, 169), 0), (*session).duplicate, false},
		{often(.1, v(2, 1, 169), 0), (*session).clone, false},
		{often(.2, v(2, 1, 287), 0), (*session).collectGarbage, false},
		{often(.6, 0, 0), (*session).addAsides, false},
		{often(.15, 0, 0), (*session).hugeLine, true},
		{often(4, v(2, 0, 15), 0), func(s *session) {
			s.localCommand("permissions", func() { s.quote(`<command-name>/permissions</command-name>`) })
		}, false},
	}
	for _, damage := range []func(*session){
		(*session).glue, (*session).tear, (*session).behead, (*session).zeros, (*session).scrap, (*session).carriageReturn,
	} {
		all = append(all, episode{often(.04, 0, 0), damage, false})
	}
	return append(all, g.rowEpisodes()...)
}

// rowEpisodes makes an episode of every row of some tables.
func (g *generator) rowEpisodes() []episode {
	var all []episode
	for i := range g.Entries {
		r := &g.Entries[i]
		all = append(all, episode{r.frequency, func(s *session) { s.writeRow(r) }, false})
	}
	for i := range g.Failures {
		fail := &g.Failures[i]
		all = append(all, episode{often(.05, 0, 0), func(s *session) {
			s.respond(plan{tools: s.tools("Bash"), fail: fail})
		}, false})
	}
	for i := range g.Prompts {
		p := &g.Prompts[i]
		all = append(all, episode{often(.01, p.Since, 0), func(s *session) {
			s.send(p)
			if p.Answers {
				s.conclude()
			}
			s.endTurn()
		}, false})
	}
	return all
}

// writeRow writes an entry and counts it.
func (s *session) writeRow(r *row) {
	body := func() { s.write(&r.JSON, &scope{}) }
	switch {
	case s.noAlarms && r.Unknown == "type":
		return
	case r.Kind == "note":
		s.note(r.Type, func() {
			s.open.unknown = r.Unknown
			body()
		})
	default:
		tail := func() { s.write(&r.Keys, &scope{}) }
		s.entryIn(&scope{kind: r.Kind, layout: r.Layout, arg: r.Type, body: body, tail: tail})
		s.pass(s.between(5, 4000))
	}
	for metric, labels := range r.Counts {
		s.expected.add(metric, labels, 1)
	}
}

// tools returns tools by their names.
func (s *session) tools(names ...string) []*tool {
	all := make([]*tool, len(names))
	for i := range s.Tools {
		for j, name := range names {
			if s.Tools[i].Name == name {
				all[j] = &s.Tools[i]
			}
		}
	}
	return all
}

// searchOnServer uses a tool of the server, whose result is in the same message.
func (s *session) searchOnServer() {
	m := s.response("end_turn", func(u *usage) { u.searches, u.fetches = 1, s.IntN(2) })
	id, at := "srvtoolu_01"+s.hex(22), s.now
	s.say(m, false, s.named("server_search", id))
	s.pass(s.drawSize("network_time"))
	s.expected.call("web_search")
	s.expected.result("web_search", "", s.since(at))
	s.say(m, false, s.named("server_result", id))
	s.say(m, true, s.named("text", ""))
}

// sayWith writes a response of several requests.
func (s *session) sayWith(stop string, iterations ...iteration) {
	s.say(s.response(stop, func(u *usage) { u.iterations = iterations }), true, s.named("text", ""))
}

// advice draws a request to an advisor.
func (s *session) advice() iteration {
	return iteration{"advisor_message", pick(s.rng, s.era.Models...), tokens{
		input: s.between(100, 9000), output: s.between(50, 900), read: s.IntN(40000),
	}}
}

// compactOnServer has the API compact the context within a response, which may ask an
// advisor, too.
func (s *session) compactOnServer() {
	model := ""
	if s.chance(70) {
		model = pick(s.rng, "claude-sonnet-5", "claude-haiku-4-5-20251001")
	}
	all := []iteration{{"compaction", model, tokens{
		s.between(90_000, 180_000), s.between(1000, 6000), s.IntN(40_000), s.IntN(9000),
	}}}
	if s.chance(50) {
		all = append(all, s.advice())
	}
	s.sayWith(pick(s.rng, "compaction", "end_turn"), all...)
}

// fallBack gives a request up in favor of another model. Its tokens are reported, but do
// not count.
func (s *session) fallBack() {
	var all []iteration
	for _, kind := range []string{"fallback_message", "message", unknownIteration} {
		if kind != unknownIteration || !s.noAlarms {
			n := tokens{input: s.between(10, 9000), output: s.between(1, 90)}
			all = append(all, iteration{kind, "claude-fallback-" + s.hex(1), n})
		}
	}
	s.sayWith("end_turn", all...)
}

// hugeLine has a tool return megabytes.
func (s *session) hugeLine() {
	size := s.between(1<<19, 5<<18) + s.IntN(5<<18)
	huge := *s.tools("Bash")[0]
	huge.Result = s.compile("%{output " + strconv.Itoa(size) + "}")
	s.respond(plan{tools: []*tool{&huge}})
}

package corpus

import (
	"slices"
	"strconv"
)

// A session is a main conversation with its sub-agents, forks and copies. It consists
// of turns, with an episode between two of them now and then.
type session struct {
	*transcript
	era         *era
	dir         string // of the project
	started     string // the working directory at the beginning, escaped
	transcripts []*transcript
	asides      []aside
	turns       []int         // number of records after each turn
	fresh       int           // number of records at the last compaction
	target      int           // size in bytes
	reports     bool          // it has cost-state lines, and so have its forks
	longContext bool          // its models are reported with a suffix
	spent       []cost        // what it reports
	began       int64         // when its process began, in milliseconds since the epoch
	running     []*transcript // sub-agents in the background
	promptID    string        // of the current turn
	prompts     int           // of people
	turnIndex   int
}

func (g *generator) newSession(e *era, n version, p project) *session {
	set := &settings{
		generator: g, version: n, versionText: n.String(), sessionID: g.uuid(), cwd: p.cwd,
		branch: pick(g.rng, "main", "main", "HEAD", "master", "feature/login", "fix-queue"),
		entrypoint: pick(g.rng, "cli", "cli", "cli", "cli", "claude-vscode", "claude-vscode", "sdk-cli",
			"claude-desktop"),
		provider: draw(g.rng, g.Providers, n), hooks: g.chance(52),
	}
	if n >= v(2, 0, 74) {
		set.slug = pick(g.rng, g.Words...) + "-" + pick(g.rng, g.Nouns...) + "-" + pick(g.rng, g.Nouns...)
	}
	set.foreground = n >= asyncSince && g.chance(15)
	s := &session{era: e, dir: p.dir, started: p.cwd, reports: n >= costStateSince && g.chance(reported(n)), longContext: g.chance(40)}
	start := g.start
	if start == 0 {
		start = g.shift + e.From.UnixMilli() + g.Int64N(e.To.Sub(e.From).Milliseconds())
	}
	s.began = start
	s.transcript = s.begin(set, set.sessionID, start)
	return s
}

// begin begins a transcript in the directory of the session.
func (s *session) begin(set *settings, name string, start int64) *transcript {
	t := &transcript{settings: set, session: s, path: s.dir + "/" + name + ".jsonl", now: start, streams: s.era.Main}
	models := s.era.Models
	if t.provider.gateway() {
		models = t.provider.Models
	}
	t.model, t.context = pick(t.rng, models...), t.between(9000, 22000)
	if last := len(t.spare) - 1; last >= 0 {
		t.b, t.records, t.spare = t.spare[last].b[:0], t.spare[last].records[:0], t.spare[:last]
	}
	s.transcripts = append(s.transcripts, t)
	return t
}

// root returns the directory of the files that belong to the session.
func (s *session) root() string { return s.dir + "/" + s.sessionID }

// play writes turns and episodes until the session has its size.
func (s *session) play() {
	for len(s.b) < s.target {
		s.turn()
		for i := range s.episodes {
			e := &s.episodes[i]
			for left := e.Percent; left > 0 && e.in(s.version); left -= 100 {
				if s.chance(left) {
					e.play(s)
				}
			}
		}
		if s.chance(.15) {
			s.hugeLine()
		}
	}
}

// turn writes a prompt and everything until the model is done.
func (s *session) turn() {
	s.pass(min(s.drawSize("pause_time"), s.maxPause))
	if s.chance(75) {
		s.snapshot("false")
	}
	defer s.notifications()
	defer s.endTurn()
	p := draw(s.rng, s.Prompts, s.version)
	s.send(p)
	if !p.Answers {
		return
	}
	start := s.now
	s.hooked("UserPromptSubmit", s.hex(12))
	s.rounds(s.drawSize("rounds"))
	s.conclude()
	if s.version >= v(2, 0, 64) && s.hooks {
		s.system("stop_hook_summary", s.named("stop_hook_summary", ""))
	}
	if s.version >= v(2, 1, 1) && s.chance(35) && (s.version < v(2, 1, 300) || !s.program()) {
		s.turnDuration(int(s.now - start))
	}
}

// beginTurn begins a turn, of a person's prompt or not.
func (s *session) beginTurn(prompted bool) {
	s.promptID = s.uuid()
	s.turnIndex++
	if prompted && !s.program() {
		s.prompts++
	}
}

// endTurn remembers a place up to which the session can be copied.
func (s *session) endTurn() { s.turns = append(s.turns, len(s.records)) }

// rounds lets the model work.
func (s *session) rounds(n int) {
	for i := range n {
		if s.chance(13) {
			s.queue()
			if s.version >= v(2, 1, 97) && s.chance(35) {
				s.queued()
			}
		}
		if s.chance(10) {
			s.snapshot("true")
		}
		for j := range s.Attachments {
			if r := &s.Attachments[j]; r.in(s.version) && s.chance(r.Percent) {
				s.writeRow(r)
			}
		}
		s.work()
		if i > 0 && len(s.b) > s.target+s.target/4 {
			return
		}
		s.compactIfFull()
	}
}

// changeDirectory changes the directory that the entries state from now on, those of
// sub-agents too. The session remains in its project.
func (s *session) changeDirectory() {
	all := []string{s.started, s.started + "/packages/api", s.started + "/src", "/tmp", "/var/lib/elsewhere"}
	s.cwd = pick(s.rng, slices.DeleteFunc(all, func(dir string) bool { return dir == s.cwd })...)
}

// startElsewhere has a turn in a directory after which that of the transcripts is not
// named.
func (s *session) startElsewhere() {
	s.cwd = "/tmp"
	s.turn()
	s.cwd = s.started
}

// snapshot writes which files can be restored.
func (s *session) snapshot(update string) {
	kind := "file-history-snapshot"
	if s.version >= v(2, 1, 217) && s.chance(20) {
		kind = "file-history-delta"
	}
	s.note(kind, s.named(kind, update))
}

// turnDuration writes how long a turn took, in milliseconds.
func (s *session) turnDuration(took int) {
	took = int(float64(took) / s.tempo.speed)
	s.system("turn_duration", s.named("turn_duration", strconv.Itoa(took)))
}

// compactIfFull compacts a full context. That of newer models is hardly ever full.
func (t *transcript) compactIfFull() {
	if t.context > 155_000 && t.version < v(2, 1, 160) {
		t.compact("auto")
	}
}

// compact replaces the conversation by a summary. Early versions did not write the
// trigger. In some versions a sub-agent wrote the summary, from a copy.
func (t *transcript) compact(trigger string) {
	if t.agent == "" && t.version >= v(2, 1, 23) && t.version <= v(2, 1, 97) {
		t.session.replay("compact")
	}
	t.previous, t.context = t.context, t.between(12_000, 30_000)
	t.pass(t.between(20_000, 120_000))
	t.compacting = t.between(20_000, 90_000)
	logical := t.parent
	t.parent = ""
	t.system("compact_boundary", func() {
		t.named("compact_boundary", logical)()
		if trigger != "" {
			t.named("compact_metadata", trigger)()
		}
	})
	t.user(t.named("summary", ""), func() { t.raw(`,"isVisibleInTranscriptOnly":true,"isCompactSummary":true`) })
	if t == t.session.transcript {
		t.session.fresh = len(t.records)
	}
}

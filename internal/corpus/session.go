package corpus

import "strings"

// A session is a main conversation with everything that hangs on it. It is
// written as a script: turns, and between them episodes of what is rare.
type session struct {
	*thread
	era    *era
	dir    string // of the project
	tools  []tool // that this version has
	files  []*file
	asides []aside
	turns  []int // how many entries there were when each turn ended
	fresh  int   // how many entries there were at the last compaction
	target int   // size in bytes
	// counted says that the session was entered.
	counted bool
	reports bool         // it has cost-state lines, and so do its forks
	long    bool         // its models are reported with the suffix of the long context
	spent   []modelSpent // what it reports, by model
}

// newSession begins a session of a version in an era.
func (w *world) newSession(e *era, n version, p *project) *session {
	set := &setting{
		version: n, sessionID: dashed(w.dice), cwd: p.cwd, branch: pick(w.dice, branches),
		entrypoint: pick(w.dice, entrypoints), provider: w.drawProvider(n), hooks: w.chance(52),
	}
	if n >= v(2, 0, 74) {
		set.slug = pick(w.dice, words) + "-" + pick(w.dice, nouns) + "-" + pick(w.dice, nouns)
	}
	s := &session{era: e, dir: p.dir}
	s.thread = s.newThread(&file{
		world: w, setting: set, path: s.dir + "/" + set.sessionID + ".jsonl", now: w.begins(e),
	})
	s.streams = e.main
	s.reports = n >= costStateSince && w.chance(32)
	s.long = w.chance(40)
	for _, u := range w.tools {
		if u.fits(n) {
			s.tools = append(s.tools, u)
		}
	}
	return s
}

// begins draws when a session of an era begins.
func (w *world) begins(e *era) int64 {
	if w.outset != 0 {
		return w.outset
	}
	return e.date(w.dice) + w.shift
}

var (
	branches    = []string{"main", "main", "HEAD", "master", "feature/login", "fix-queue"}
	entrypoints = []string{"cli", "cli", "cli", "cli", "claude-vscode", "claude-vscode", "sdk-cli", "claude-desktop"}
)

func (w *world) drawProvider(n version) *provider {
	return draw(w.dice, providers, func(p *provider) int {
		if n < p.since {
			return 0
		}
		return p.weight
	})
}

// newThread begins a conversation in a file of its own.
func (s *session) newThread(f *file) *thread {
	models := s.era.models
	if f.provider.models != nil {
		models = f.provider.models
	}
	s.files = append(s.files, f)
	f.out.tempo = f.world.tempo
	if last := len(f.spare) - 1; last >= 0 {
		f.b, f.spare = f.spare[last], f.spare[:last]
	}
	return &thread{file: f, home: s, model: pick(f.dice, models), streams: s.era.main, context: f.between(9000, 22000)}
}

// root is the directory of what hangs on the session.
func (s *session) root() string { return strings.TrimSuffix(s.path, ".jsonl") }

// play writes turns, with an episode now and then, until the session has its size.
func (s *session) play() {
	for len(s.b) < s.target {
		s.turn()
		for i := range s.episodes {
			if e := &s.episodes[i]; e.fits(s.version) && s.chance(e.percent) {
				e.play(s)
			}
		}
	}
}

var (
	rounds    = quantiles{0, 0, 1, 3, 8, 17, 26, 55, 120, 200}
	pauseTime = quantiles{500, 5000, 15000, 60000, 240000, 900000, 3600000, 40000000, 90000000, 200000000}
)

// turn is a prompt and all that the model does until it is done.
func (s *session) turn() {
	s.pass(min(pauseTime.of(s.dice), s.patience))
	if s.chance(75) {
		s.snapshot(false)
	}
	if !s.ask() {
		s.ended()
		return
	}
	start := s.now
	s.hooked("UserPromptSubmit", s.hex(12))
	s.labour(rounds.of(s.dice))
	s.conclude()
	if s.version >= v(2, 0, 64) && s.hooks {
		s.stopHooks()
	}
	if s.version >= v(2, 1, 1) && s.chance(35) && (s.version < v(2, 1, 300) || !s.program()) {
		s.duration(start)
	}
	s.remark()
	s.ended()
}

// ask sends something, and reports whether the model answers.
func (s *session) ask() bool {
	p := draw(s.dice, prompts, func(p *prompt) int {
		if s.version < p.since {
			return 0
		}
		return p.weight
	})
	s.send(p)
	return p.answers
}

// labour lets the model work in some rounds.
func (s *session) labour(rounds int) {
	for i := range rounds {
		if s.chance(13) {
			s.queue()
			if s.version >= v(2, 1, 97) && s.chance(35) {
				s.queued()
			}
		}
		if s.chance(10) {
			s.snapshot(true)
		}
		s.remind()
		s.work()
		if i > 0 && len(s.b) > s.target+s.target/4 {
			return
		}
		if s.full() {
			s.compact("auto")
		}
	}
}

// begun enters the session with its first line of conversation.
func (s *session) begun() {
	if !s.counted {
		s.counted = true
		s.books.session()
	}
}

// spoke notes that a line of conversation is about to be written.
func (t *thread) spoke() {
	if t.scope() == "main" {
		t.home.begun()
	}
}

// ended notes a place up to which the session can be copied.
func (s *session) ended() { s.turns = append(s.turns, len(s.marks)) }

func (s *session) stopHooks() {
	s.notice("stop_hook_summary", func() {
		s.raw(`,"hookCount":1,"hookInfos":[{`)
		s.sized("command", &s.texts.listing, &fieldSize)
		s.raw(`,"durationMs":`).num(s.between(5, 3000)).raw(`}],"hookErrors":[],"preventedContinuation":false,"stopReason":"","hasOutput":false,"level":"suggestion"`)
	})
}

func (s *session) duration(start int64) {
	took := int(s.now - start)
	s.notice("turn_duration", func() {
		s.raw(`,"durationMs":`).num(s.out.tempo.span(took))
		if s.version >= v(2, 1, 92) {
			s.raw(`,"messageCount":`).num(len(s.marks))
		}
		if s.version >= v(2, 1, 240) {
			s.raw(`,"pendingBackgroundAgentCount":`).num(s.IntN(2)).raw(`,"pendingWorkflowCount":0`)
		}
	})
	s.books.turn(s.out.tempo.span(took))
}

package corpus

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options say what to generate. The zero value of each field is its default.
type Options struct {
	// Seed determines everything that is random.
	Seed uint64
	// Size is the approximate number of bytes of transcripts. It is some millions at
	// least, since every corpus contains every kind of thing.
	Size int64
	// Projects is the number of projects; 24 by default.
	Projects int
	// Unpriced is the number of models without a list price; 1 by default.
	Unpriced int
	// Requests is the number of requests of each session, about. If it is not 0, the
	// newest version has written all sessions, in one turn each, and they contain only
	// what is usual.
	Requests int
	// Until shifts all sessions in time, so that none begins after it. By default each
	// begins in the era of its version, the last ones in the middle of November 2026.
	Until time.Time
}

// A generator holds what all sessions of a corpus share.
type generator struct {
	rng
	*format
	owner       string // of repositories; other trees have another one
	tempo       tempo
	texts       map[string]text
	written     Summary
	episodes    []episode
	eras        []era           // of which sessions are generated
	unpriced    int             // number of models without a list price
	shift       int64           // of the eras, in milliseconds
	start       int64           // when sessions begin; 0: in their era
	maxPause    int             // of a person, in milliseconds
	agents      map[string]bool // ids of sub-agents in use
	promptTimes map[int64]bool
	shared      map[sharedPart]string // nil: nothing is
	noAlarms    bool                  // write nothing unknown that might have to be counted
	spare       []*transcript         // whose memory is used again
}

func newGenerator(seed uint64) *generator {
	g := &generator{
		rng: newRNG(seed), format: loadFormat(), owner: fmt.Sprintf("acme-%x", seed), tempo: tempo{speed: 1}, maxPause: math.MaxInt, unpriced: 1,
		agents: make(map[string]bool), promptTimes: make(map[int64]bool),
	}
	g.texts, g.episodes, g.eras = newTexts(g.rng, g.format), g.allEpisodes(), g.Eras
	return g
}

// Generate writes transcripts to dir/projects and describes them. The same
// options give the same names, bytes and modification times. Existing files stay and
// are not counted.
func Generate(dir string, o Options) (Summary, error) {
	g := newGenerator(o.Seed)
	g.unpriced = max(o.Unpriced, 1)
	if !o.Until.IsZero() {
		g.shift = o.Until.Sub(g.eras[len(g.eras)-1].To).Milliseconds()
	}
	projects := g.newProjects(cmp.Or(max(o.Projects, 0), 24))
	if o.Requests > 0 {
		err := g.generateToday(dir, projects, o.Requests, o.Size)
		return g.written, err
	}
	for next := g.showcase(projects, len(g.eras)); len(next) > 0; next = next[1:] {
		if err := next[0].save(dir); err != nil {
			return Summary{}, fmt.Errorf("write session %s: %w", next[0].sessionID, err)
		}
		if len(next) == 1 && g.written.Bytes < o.Size {
			next = append(next, g.anySession(projects, int(o.Size-g.written.Bytes)))
		}
	}
	return g.written, nil
}

// anySession plays a session of a random version in a random project. A few are empty,
// or have no conversation.
func (g *generator) anySession(projects []project, limit int) *session {
	e := draw(g.rng, g.eras, 0)
	s := g.newSession(e, pick(g.rng, e.Versions...), pick(g.rng, projects...))
	s.target = min(s.drawSize("session_file"), limit)
	switch {
	case s.chance(.8):
	case s.chance(1.5):
		s.snapshot("false")
	default:
		if s.chance(.2) {
			s.raw("\ufeff")
		}
		if s.chance(3) {
			s.startElsewhere()
		}
		s.play()
		s.reportCosts()
	}
	return s
}

// showcase returns n sessions, each of the last version of an era. Every episode
// happens in one of them.
func (g *generator) showcase(projects []project, n int) []*session {
	sessions := make([]*session, n)
	for i := range sessions {
		e := &g.eras[i%len(g.eras)]
		s := g.newSession(e, e.latest(), projects[i%len(projects)])
		sessions[i] = s
		s.target = 20_000
		switch i {
		case n - 1:
			s.entrypoint = "sdk-cli"
		case n - 2:
			s.useGateway(provider.withoutIDs)
		case n - 3:
			s.useGateway(provider.constant)
		}
		s.reports, s.longContext, s.foreground = s.version >= costStateSince, true, false
		s.send(&s.Prompts[0])
		s.conclude()
		s.turn()
		s.rounds(2)
		s.endTurn()
	}
	for i := range g.episodes {
		e := &g.episodes[i]
		able := slices.DeleteFunc(slices.Clone(sessions), func(s *session) bool { return !e.in(s.version) })
		if len(able) > 0 {
			e.play(pick(g.rng, able...))
		}
	}
	for _, s := range sessions {
		s.turn()
		s.reportCosts()
	}
	return sessions
}

// save writes all files of the session.
func (s *session) save(dir string) error {
	for _, t := range slices.Backward(s.transcripts) { // most sessions begin with the longest
		t.fray()
		s.written.add(t.b)
		if err := saveFile(filepath.Join(dir, filepath.FromSlash(t.path)), t.b, cmp.Or(t.last, t.now)); err != nil {
			return err
		}
		s.spare = append(s.spare, t)
		if t.agent != "" && s.version >= v(2, 1, 90) {
			path := strings.TrimSuffix(t.path, ".jsonl") + ".meta.json"
			s.aside(path, t.description())
		}
	}
	for _, a := range s.asides {
		if err := saveFile(filepath.Join(dir, filepath.FromSlash(a.path)), []byte(a.content), s.now); err != nil {
			return err
		}
	}
	return nil
}

// saveFile writes a file that was last modified at a time in milliseconds since the
// epoch.
func saveFile(path string, content []byte, ms int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return err
	}
	at := time.UnixMilli(ms)
	return os.Chtimes(path, at, at)
}

// A project is a directory in which somebody uses Claude Code.
type project struct {
	cwd string // escaped
	dir string // of its transcripts, below the root of the corpus
}

// newProjects draws n projects with different names.
func (g *generator) newProjects(n int) []project {
	special := regexp.MustCompile(`[^a-zA-Z0-9]`)
	cwd := ""
	all := make([]project, n)
	for i := range all {
		switch number := strconv.Itoa(i + 1); {
		case i%9 == 8:
			cwd = `C:\Users\dev\` + pick(g.rng, g.Nouns...) + number
		case i%7 == 6:
			cwd += "/.claude/worktrees/" + pick(g.rng, g.Nouns...)
		default:
			cwd = "/home/dev/" + pick(g.rng, g.Nouns...) + "-" + pick(g.rng, g.Nouns...) + "-" + number
		}
		all[i] = project{strings.ReplaceAll(cwd, `\`, `\\`), "projects/" + special.ReplaceAllString(cwd, "-")}
	}
	return all
}

package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"
)

// Options say what to generate. The zero value of each is its default.
type Options struct {
	// Seed is what everything that is left to chance depends on.
	Seed uint64
	// Size is about how many bytes of transcripts there are. Since every corpus
	// holds every kind of thing at least once, they are some millions at least.
	Size int64
	// Projects is how many projects there are; 24 by default.
	Projects int
	// CloneAll has clones with new uuids repeat turn_duration and compact_boundary
	// entries too. ccwatchd counts each of them once, by what it says. A reference that
	// knows them by their uuid alone counts the clone again.
	CloneAll bool
	// Until moves all sessions in time, so that none begins after it. By default
	// each is from when Claude Code wrote as it does, the last ones from the middle of
	// November 2026.
	Until time.Time
	// Progress, if there is one, is told after each session how many bytes of
	// transcripts have been written so far.
	Progress func(bytes int64)
}

// A world is what all sessions of a corpus share.
type world struct {
	dice
	texts    *texts
	books    *books
	tools    []tool
	episodes []episode
	eras     []era
	shift    int64           // of all times, in milliseconds
	outset   int64           // when sessions begin; 0: in the time of their era
	patience int             // the longest pause of a person, in milliseconds
	tempo    tempo           // of all times
	agents   map[string]bool // ids of sub-agents that are taken
	moments  map[int64]bool  // when somebody sent something
	cloneAll bool            // see Options
	noAlarms bool            // nothing unknown is written that may be something to be counted
	spare    [][]byte        // to be written into again
}

func newWorld(seed uint64) *world {
	d := newDice(seed)
	return &world{
		dice: d, texts: newTexts(d), books: newBooks(), tools: toolbox(), episodes: episodes(),
		eras: eras, patience: math.MaxInt,
		agents: make(map[string]bool), moments: make(map[int64]bool),
	}
}

// Generate writes transcripts to dir/projects and returns what is in them. The
// same options give the same files, with the same names, bytes and times. What
// is there already stays, and does not count.
func Generate(dir string, o Options) (Truth, error) {
	w := newWorld(o.Seed)
	w.cloneAll = o.CloneAll
	if o.Projects <= 0 {
		o.Projects = 24
	}
	if !o.Until.IsZero() {
		w.shift = o.Until.UnixMilli() - eras[len(eras)-1].to
	}
	projects := newProjects(w.dice, o.Projects)
	write := func(s *session) error {
		if err := s.write(dir); err != nil {
			return fmt.Errorf("write session %s: %w", s.sessionID, err)
		}
		if o.Progress != nil {
			o.Progress(w.books.Bytes)
		}
		return nil
	}
	for _, s := range w.showcase(projects, len(w.eras)) {
		if err := write(s); err != nil {
			return Truth{}, err
		}
	}
	for w.books.Bytes < o.Size {
		s := w.anySession(projects)
		s.target = min(sessionSize.of(w.dice), int(o.Size-w.books.Bytes))
		s.live()
		if err := write(s); err != nil {
			return Truth{}, err
		}
	}
	return w.books.Truth, nil
}

// sessionSize is of the file of a session.
var sessionSize = quantiles{100, 1500, 20000, 130000, 600000, 1600000, 2400000, 3600000, 4200000, 4500000}

// Sample returns about size bytes of one session, for whoever wants lines and
// no files. The same arguments give the same bytes.
func Sample(seed uint64, size int) []byte {
	w := newWorld(seed)
	s := w.anySession(newProjects(w.dice, 1))
	s.target = size
	s.b = make([]byte, 0, size+size/4)
	s.play()
	return s.b
}

// anySession begins a session of a drawn era in a drawn project.
func (w *world) anySession(projects []project) *session {
	e := draw(w.dice, w.eras, weightOfEra)
	return w.newSession(e, pick(w.dice, e.versions), &projects[w.IntN(len(projects))])
}

// showcase returns so many sessions, each of the last version of an era. Every
// episode happens in one of them.
func (w *world) showcase(projects []project, n int) []*session {
	sessions := make([]*session, n)
	for i := range sessions {
		e := &w.eras[i%len(w.eras)]
		s := w.newSession(e, e.versions[len(e.versions)-1], &projects[i%len(projects)])
		sessions[i] = s
		s.target = 20_000
		if i == n-1 {
			s.entrypoint = "sdk-cli"
		}
		s.reports, s.long = s.version >= costStateSince, true
		s.send(&prompts[0])
		s.conclude()
		s.turn()
		s.labour(2)
		s.ended()
	}
	for i := range w.episodes {
		e := &w.episodes[i]
		var able []*session
		for _, s := range sessions {
			if e.fits(s.version) && !e.big {
				able = append(able, s)
			}
		}
		if len(able) > 0 {
			e.play(pick(w.dice, able))
		}
	}
	for _, s := range sessions {
		s.turn()
		s.quit()
	}
	return sessions
}

// live plays a session. A few never have a conversation.
func (s *session) live() {
	switch {
	case s.chance(.8):
	case s.chance(1.5):
		s.remark()
		s.snapshot(false)
	default:
		if s.chance(.2) {
			s.raw("\ufeff")
		}
		s.play()
		s.quit()
	}
}

// maxSpare is how many buffers are kept. Few sessions have more files.
const maxSpare = 16

// write writes everything that the session consists of.
func (s *session) write(dir string) error {
	for _, f := range s.files {
		f.fray()
		s.describe(f)
		s.books.file(f)
		if err := save(filepath.Join(dir, filepath.FromSlash(f.path)), f.b, cmp.Or(f.last, f.now)); err != nil {
			return err
		}
		if len(s.spare) < maxSpare {
			s.spare = append(s.spare, f.b[:0])
		}
	}
	for _, a := range s.asides {
		if err := save(filepath.Join(dir, filepath.FromSlash(a.path)), a.content, s.now); err != nil {
			return err
		}
	}
	return nil
}

// file enters a file that is complete.
func (b *books) file(f *file) {
	kind := "main"
	if f.agent != "" {
		kind = "agent"
	}
	b.add("files", "kind="+kind, 1)
	if len(f.b) == 0 {
		b.add("files_empty", "", 1)
	}
	b.Files++
	b.Bytes += int64(len(f.b))
	b.Lines += bytes.Count(f.b, []byte("\n"))
}

// save writes a file as if it had been written last at a time, given in
// milliseconds since the epoch.
func save(path string, content []byte, ms int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return err
	}
	at := time.UnixMilli(ms)
	return os.Chtimes(path, at, at)
}

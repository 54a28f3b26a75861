package corpus

import (
	"slices"
	"time"
)

// recentEras is of how many eras, from the last one back, an [Author] writes: of
// those whose versions are still about, and in which everything that is counted
// occurs.
const recentEras = 3

const (
	longestPause   = 2 * 60_000 // of a person who is at work, in milliseconds
	longestSession = 600_000    // in bytes
)

// An Author makes up one session after another, in memory and for now, of
// versions that are about now. It is for one goroutine at a time.
type Author struct {
	world    *world
	projects []project
}

// A Line is a line of a transcript; a few are only a part of one, or some.
type Line struct {
	At   time.Time // when it is to be written
	Path string    // of its transcript, below a directory such as ~/.claude; with slashes
	Text []byte    // with the end of the line
}

// NewAuthor returns one whose sessions are in so many projects. Since start all
// goes speed times as fast as Claude Code and people are; speed is more than 0. It
// writes nothing unknown that might have to be counted, and what it writes depends only
// on the arguments and the order of the calls.
func NewAuthor(seed uint64, projects int, start time.Time, speed float64) *Author {
	w := newWorld(seed)
	w.eras = eras[len(eras)-recentEras:]
	w.patience = longestPause
	w.noAlarms = true
	w.tempo = tempo{start.UnixMilli(), speed}
	return &Author{w, newProjects(w.dice, projects)}
}

// Showcase returns n sessions that begin together, in which every kind of thing
// that can happen does, at least once among all of them.
func (a *Author) Showcase(n int, at time.Time) [][]Line {
	a.world.outset = a.world.tempo.of(at.UnixMilli())
	all := make([][]Line, n)
	for i, s := range a.world.showcase(a.projects, n) {
		all[i] = s.lines()
	}
	return all
}

// Session returns the lines of all transcripts of a session that begins at a
// time, in the order in which they are to be written. A few have none.
func (a *Author) Session(at time.Time) []Line {
	a.world.outset = a.world.tempo.of(at.UnixMilli())
	s := a.world.anySession(a.projects)
	s.target = min(sessionSize.of(a.world.dice), longestSession)
	s.live()
	return s.lines()
}

// Truth is what is in all sessions so far, when all of their lines are written.
// Files, lines and bytes are not in it.
func (a *Author) Truth() Truth { return a.world.books.Truth }

// lines are those of all files of a session.
func (s *session) lines() []Line {
	var all []Line
	for _, f := range s.files {
		all = f.appendLines(all)
	}
	slices.SortStableFunc(all, func(a, b Line) int { return a.At.Compare(b.At) })
	return all
}

// appendLines adds the lines of a file. What was written without an entry goes
// with the next one, or with the last.
func (f *file) appendLines(all []Line) []Line {
	var at int64
	from := 0
	for i, m := range f.marks {
		at = max(at, m.at) // an entry may be older than the one before it
		to := m.to
		switch {
		case i == len(f.marks)-1:
			to = len(f.b)
		case f.b[to] == '\n':
			to++
		}
		all = append(all, Line{time.UnixMilli(f.world.tempo.at(at)), f.path, f.b[from:to:to]})
		from = to
	}
	return all
}

// A tempo is how fast time goes: since a moment, in milliseconds since the epoch,
// so many times as fast as it does. The zero one lets it go as it does.
type tempo struct {
	since int64
	speed float64
}

// at returns when something is that would be at a time.
func (t tempo) at(ms int64) int64 {
	if t.speed == 0 {
		return ms
	}
	return t.since + int64(float64(ms-t.since)/t.speed)
}

// span returns how long something takes that would take so many milliseconds.
func (t tempo) span(ms int) int {
	if t.speed == 0 {
		return ms
	}
	return int(float64(ms) / t.speed)
}

// of returns at what time something would be that is at ms. The zero tempo is not
// asked.
func (t tempo) of(ms int64) int64 {
	return t.since + int64(float64(ms-t.since)*t.speed)
}

package corpus

import (
	"slices"
	"time"
)

// recentEras is the number of eras of which a [Writer] generates sessions: those whose
// versions are still in use, and in which everything that is counted occurs.
const recentEras = 4

const (
	longestPause   = 2 * 60_000 // of a person at work, in milliseconds
	longestSession = 600_000    // in bytes
)

// A Writer generates sessions of current versions in memory, at the present time. It is
// for one goroutine at a time.
type Writer struct {
	generator *generator
	projects  []project
}

// A Line is a line of a transcript; a few are a part of one, or several.
type Line struct {
	At   time.Time // when it is to be written
	Path string    // of its transcript, below a directory such as ~/.claude; with slashes
	Text []byte    // with the line end
}

// NewWriter returns a writer of sessions in so many projects. After start, time passes
// at a multiple of the real speed, which must be positive. It writes nothing unknown
// that might have to be counted, and its output depends only on the arguments and the
// order of the calls.
func NewWriter(seed uint64, projects int, start time.Time, speed float64) *Writer {
	g := newGenerator(seed)
	g.eras = g.Eras[len(g.Eras)-recentEras:]
	g.maxPause = longestPause
	g.noAlarms = true
	w := &Writer{g, g.newProjects(projects)}
	w.SetSpeed(start, speed)
	return w
}

// SetSpeed changes the multiple of the real speed for the time after start.
func (w *Writer) SetSpeed(start time.Time, speed float64) {
	w.generator.tempo = tempo{start.UnixMilli(), speed}
}

// Showcase returns n sessions that begin together. Everything that can happen does so
// in at least one of them.
func (w *Writer) Showcase(n int, at time.Time) [][]Line {
	w.generator.start = w.generator.tempo.before(at.UnixMilli())
	all := make([][]Line, n)
	for i, s := range w.generator.showcase(w.projects, n) {
		all[i] = s.lines()
	}
	return all
}

// Session returns the lines of all transcripts of a session, in the order in which they
// are to be written. A few sessions have none.
func (w *Writer) Session(at time.Time) []Line {
	w.generator.start = w.generator.tempo.before(at.UnixMilli())
	return w.generator.anySession(w.projects, longestSession).lines()
}

// lines returns the lines of all files of a session.
func (s *session) lines() []Line {
	var all []Line
	for _, t := range s.transcripts {
		all = t.appendLines(all)
	}
	slices.SortStableFunc(all, func(a, b Line) int { return a.At.Compare(b.At) })
	return all
}

// appendLines appends the lines of a file. Text outside of entries belongs to the next
// entry, or to the last.
func (t *transcript) appendLines(all []Line) []Line {
	var at int64
	from := 0
	for i, m := range t.records {
		at = max(at, m.at) // an entry may be older than the one before it
		to := m.to
		switch {
		case i == len(t.records)-1:
			to = len(t.b)
		case t.b[to] == '\n':
			to++
		}
		all = append(all, Line{time.UnixMilli(t.tempo.at(at)), t.path, t.b[from:to:to]})
		from = to
	}
	return all
}

// A tempo is a multiple of the real speed, since a time in milliseconds since the
// epoch.
type tempo struct {
	since int64
	speed float64
}

// at returns when something happens that would happen at a time at the real speed.
func (t tempo) at(ms int64) int64 { return t.since + int64(float64(ms-t.since)/t.speed) }

// before returns when something would happen at the real speed that happens at a time.
func (t tempo) before(ms int64) int64 { return t.since + int64(float64(ms-t.since)*t.speed) }

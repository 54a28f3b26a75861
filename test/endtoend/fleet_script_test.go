//go:build endtoend && fleet

package endtoend

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// A script is the lines that Claude Code writes on a machine, with known totals.
type script struct {
	lines   []corpus.Line // in the order of their times
	written int
	totals  reference.Totals
}

// newScript returns a script of so many sessions, an hour apart. A showcase contains
// everything that is counted.
func newScript(t *testing.T, program string, seed uint64, start time.Time, sessions int, showcase bool) *script {
	t.Helper()
	const projects = 4
	author, s := corpus.NewWriter(seed, projects, start, 1), &script{}
	if showcase {
		s.lines = slices.Concat(author.Showcase(sessions, start)...)
	}
	for i := 0; i < sessions && !showcase; i++ {
		s.lines = append(s.lines, author.Session(start.Add(time.Duration(i)*time.Hour))...)
	}
	slices.SortStableFunc(s.lines, func(a, b corpus.Line) int { return a.At.Compare(b.At) })
	all := t.TempDir()
	for _, line := range s.lines {
		transcripttest.Dir{TB: t, Root: all}.Append(line.Path, string(line.Text))
	}
	s.totals = totalsOf(t, program, all)
	if err := os.RemoveAll(all); err != nil {
		t.Fatal(err)
	}
	return s
}

// write writes lines until a share of all is written, and frees their memory.
func (s *script) write(t *testing.T, dir string, share float64) {
	t.Helper()
	for end := int(share * float64(len(s.lines))); s.written < end; s.written++ {
		line := s.lines[s.written]
		transcripttest.Dir{TB: t, Root: dir}.Append(line.Path, string(line.Text))
		s.lines[s.written] = corpus.Line{}
	}
}

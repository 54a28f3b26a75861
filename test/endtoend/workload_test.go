//go:build endtoend

package endtoend

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// A workload is a set of sessions with known totals, written line by line within a
// duration.
type workload struct {
	seed     uint64
	duration time.Duration
	dir      string // a configuration directory of Claude Code

	lines   []corpus.Line // in the order of their times
	written int           // lines
}

func newWorkload(t *testing.T, seed uint64, duration time.Duration) *workload {
	t.Helper()
	return &workload{seed: seed, duration: duration, dir: t.TempDir()}
}

// begin generates the sessions, starting now. They contain everything that is counted.
func (w *workload) begin() {
	start := time.Now()
	w.generate(start, 1)
	speed := w.lines[len(w.lines)-1].At.Sub(start).Seconds() / w.duration.Seconds()
	took := time.Since(start)
	w.generate(time.Now().Add(took), speed) // the first lines are not late
}

func (w *workload) generate(start time.Time, speed float64) {
	const people, projects = 5, 6
	author := corpus.NewWriter(w.seed, projects, start, speed)
	w.lines = slices.Concat(author.Showcase(people, start)...)
	slices.SortStableFunc(w.lines, func(a, b corpus.Line) int { return a.At.Compare(b.At) })
}

func (w *workload) projects() string { return filepath.Join(w.dir, "projects") }

// write writes each line at its time, until a share of all lines is written.
func (w *workload) write(t *testing.T, share float64) {
	t.Helper()
	due := time.NewTimer(0)
	defer due.Stop()
	end := int(share * float64(len(w.lines)))
	for ; w.written < end; w.written++ {
		line := w.lines[w.written]
		due.Reset(time.Until(line.At))
		<-due.C
		transcripttest.Dir{TB: t, Root: w.dir}.Append(line.Path, string(line.Text))
	}
}

// awaitTotals waits until the daemon has counted all sessions.
func (w *workload) awaitTotals(t *testing.T, daemon *Server) {
	t.Helper()
	tree, err := naive.Read(w.dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	series, totals := naive.Expected(tree), totalsOf(t, daemon.Program, w.dir)
	Eventually(t, "the totals are the true ones", func() error {
		text, _ := scrape(t, daemon)
		samples, err := exposition.ParseText(text)
		return errors.Join(err, compareTotals(totals, text), reference.DiffAnyOrder(series, samples, "user").Err())
	})
}

//go:build endtoend

package endtoend

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/corpus"
)

// A workload is sessions that are written line by line within a time, of which
// it is known what is in them.
type workload struct {
	seed     uint64
	duration time.Duration
	dir      string // such as ~/.claude

	lines   []corpus.Line // in the order of their times
	truth   corpus.Expected
	written int // lines
}

// newWorkload returns one that takes so long from when it begins.
func newWorkload(t *testing.T, seed uint64, duration time.Duration) *workload {
	t.Helper()
	return &workload{seed: seed, duration: duration, dir: t.TempDir()}
}

// begin makes it up, beginning now. Everything that is counted occurs in it.
func (w *workload) begin() {
	start := time.Now()
	w.make(start, 1)
	w.make(start, w.lines[len(w.lines)-1].At.Sub(start).Seconds()/w.duration.Seconds())
}

func (w *workload) make(start time.Time, speed float64) {
	const people, projects = 5, 6
	author := corpus.NewWriter(w.seed, projects, start, speed)
	w.lines = slices.Concat(author.Showcase(people, start)...)
	slices.SortStableFunc(w.lines, func(a, b corpus.Line) int { return a.At.Compare(b.At) })
	w.truth = author.Expected()
}

func (w *workload) projects() string { return filepath.Join(w.dir, "projects") }

// write writes each line when it is due, until a share of all lines is written.
func (w *workload) write(t *testing.T, share float64) {
	t.Helper()
	due := time.NewTimer(0)
	defer due.Stop()
	end := int(share * float64(len(w.lines)))
	for ; w.written < end; w.written++ {
		line := w.lines[w.written]
		due.Reset(time.Until(line.At))
		<-due.C
		appendTo(t, filepath.Join(w.dir, filepath.FromSlash(line.Path)), line.Text)
	}
}

// appendTo adds to a file as Claude Code does: open, write, close.
func appendTo(t *testing.T, name string, text []byte) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		f, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// expected are the totals as the reference prints them.
func (w *workload) expected(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := w.truth.WriteTSV(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

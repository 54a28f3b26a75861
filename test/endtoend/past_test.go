//go:build endtoend

package endtoend

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

const (
	pastDays = 40
	// On busyDay, from busyHour on, everything that is counted happens.
	busyDay  = 35
	busyHour = 12
	day      = 24 * time.Hour
)

// A past is sessions over some days, with known totals at the end of each.
type past struct {
	program string // path of ccwatchd
	dir     string
	begin   time.Time // a midnight
	author  *corpus.Writer
	totals  []reference.Totals
}

// newPast writes the sessions until yesterday. On each day, sessions begin in the
// morning and in the afternoon; all end on the same day.
func newPast(t *testing.T, program string) *past {
	t.Helper()
	const projects, speed = 2, 20
	p := &past{program: program, dir: t.TempDir(), begin: time.Now().UTC().Truncate(day).Add(-pastDays * day)}
	p.author = corpus.NewWriter(7, projects, p.begin, speed)
	for n := range pastDays {
		p.write(t, n, p.author.Session(p.time(n, 9)))
		p.write(t, n, p.author.Session(p.time(n, 15)))
		if n == busyDay {
			for range 3 { // some panels need ten events
				for _, lines := range p.author.Showcase(5, p.time(n, busyHour)) {
					p.write(t, n, lines)
				}
			}
		}
		p.totals = append(p.totals, p.truth(t))
	}
	return p
}

// time returns an hour of a day.
func (p *past) time(n, hour int) time.Time {
	return p.begin.Add(time.Duration(n)*day + time.Duration(hour)*time.Hour)
}

// write writes the lines of a day, and gives the files their modification time.
func (p *past) write(t *testing.T, n int, lines []corpus.Line) {
	t.Helper()
	dir := transcripttest.Dir{TB: t, Root: p.dir}
	for _, line := range lines {
		if line.At.Before(p.time(n, 0)) || !line.At.Before(p.time(n+1, 0)) {
			t.Fatalf("a line of day %d is written at %v", n, line.At)
		}
		dir.Append(line.Path, string(line.Text))
		dir.Touch(line.Path, line.At)
	}
}

// truth returns the totals of all sessions so far, without metrics of lines without a
// time: they count at the time of other lines.
func (p *past) truth(t *testing.T) reference.Totals {
	t.Helper()
	return dated(totalsOf(t, p.program, p.dir))
}

// dated removes the metrics that can count lines without a time.
func dated(totals reference.Totals) reference.Totals {
	maps.DeleteFunc(totals, func(k reference.Key, _ int64) bool {
		return slices.Contains([]string{"entries", "malformed_lines", "unknown_format"}, k.Metric) || strings.HasPrefix(k.Metric, "reported")
	})
	return totals
}

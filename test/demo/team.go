package demo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
)

const projects = 6

// A Team writes sessions. Its methods are for one goroutine at a time.
type Team struct {
	People   []Person
	sessions *corpus.Writer
	writers  []*writer
}

// NewOffice returns a team that works from the morning to the evening, Monday to
// Friday, in the zone of begin. The homes of its people, which it creates, are below
// dir. Each person has one session after another, with pauses of about the given time.
func NewOffice(dir string, seed uint64, people int, pause time.Duration, begin time.Time) (*Team, error) {
	t := &Team{sessions: corpus.NewWriter(seed, projects, begin, 1)}
	o := office{rand.New(rand.NewPCG(seed, 0)), begin.Location()} //nolint:gosec // reproducible, not secret
	next := func(end, _ time.Time) time.Time {
		return o.workingHours(end.Add(o.between(pause/2, 3*pause/2)))
	}
	for i := range people {
		p := newPerson(dir, i)
		if err := os.MkdirAll(p.Projects(), 0o700); err != nil {
			return nil, fmt.Errorf("create home: %w", err)
		}
		t.People = append(t.People, p)
		t.writers = append(t.writers, &writer{home: p.Home, begins: o.workingHours(begin), next: next})
	}
	return t, nil
}

// Register registers the current sessions as running, and from now on those that begin.
func (t *Team) Register() error {
	var errs []error
	for i, w := range t.writers {
		w.process = strconv.Itoa(1000 + i)
		errs = append(errs, w.register())
	}
	return errors.Join(errs...)
}

// AddShowcase adds n sessions that begin together. Everything that can happen does so
// in at least one of them.
func (t *Team) AddShowcase(n int, at time.Time) {
	for i, lines := range t.sessions.Showcase(n, at) {
		w := &writer{home: t.People[i%len(t.People)].Home}
		w.begin(lines)
		t.writers = append(t.writers, w)
	}
}

// Write writes all lines that are due. It returns the number of files with a complete
// new line. Sessions begin in the order of their times, since all draw from the same
// random numbers.
func (t *Team) Write(now time.Time) (files int, err error) {
	for {
		w := slices.MinFunc(t.writers, func(a, b *writer) int { return a.due().Compare(b.due()) })
		if w.due().After(now) {
			return files, nil
		}
		if len(w.lines) == 0 {
			w.begin(t.sessions.Session(w.begins))
			if err := w.register(); err != nil {
				return files, fmt.Errorf("register session: %w", err)
			}
		}
		n, err := w.write(now)
		if files += n; err != nil {
			return files, fmt.Errorf("write sessions: %w", err)
		}
	}
}

// An office is where people work from 8 to 18 o'clock.
type office struct {
	rng  *rand.Rand
	zone *time.Location
}

// workingHours returns when a person begins who is free at a time.
func (o office) workingHours(at time.Time) time.Time {
	at = at.In(o.zone)
	midnight := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, o.zone)
	switch hour := at.Hour(); {
	case hour >= 18:
		midnight = midnight.AddDate(0, 0, 1)
	case hour >= 8 && isWorkday(at):
		return at
	}
	for !isWorkday(midnight) {
		midnight = midnight.AddDate(0, 0, 1)
	}
	return midnight.Add(o.between(8*time.Hour, 10*time.Hour))
}

func isWorkday(t time.Time) bool { return t.Weekday() != time.Saturday && t.Weekday() != time.Sunday }

func (o office) between(least, most time.Duration) time.Duration {
	return least + time.Duration(o.rng.Int64N(int64(most-least)))
}

package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
)

// Options say what to simulate.
type Options struct {
	Seed   uint64  // of the random numbers
	People int     // from 1 to MaxPeople
	Speed  float64 // a multiple of the real speed, from MinSpeed to MaxSpeed
}

// The bounds of Options.
const (
	MaxPeople = 100
	MinSpeed  = 0.1
	MaxSpeed  = 1000
)

const (
	projects = 6
	// minSessions is the minimum of sessions at a time. What can happen is spread over
	// the first ones: with fewer, it would take too long to see all of it.
	minSessions = 5
	// pause is the time between two sessions of a writer, at the real speed.
	pause = 30 * time.Second
	// maxDelay is the delay up to which a late writer catches up.
	maxDelay = time.Minute
)

// A Simulation is a team at work. Its methods are for one goroutine at a time.
type Simulation struct {
	Options
	dir      string
	sessions *corpus.Writer
	people   []Person
	writers  []*writer
}

// A Person is a member of the team.
type Person struct {
	Name string
	Home string // like ~/.claude
}

// Labels returns the labels of the person's sessions.
func (p Person) Labels() map[string]string { return Labels(p.Name) }

// Labels returns the labels of a person's sessions: the person, and the machine.
func Labels(name string) map[string]string {
	return map[string]string{"user": name, "host": name + "-laptop"}
}

// Projects returns the directory of the person's sessions.
func (p Person) Projects() string { return filepath.Join(p.Home, "projects") }

var errOption = errors.New("invalid demo options")

func (o Options) check() error {
	switch {
	case o.People < 1 || o.People > MaxPeople:
		return fmt.Errorf("%w: the number of people must be from 1 to %d, not %d", errOption, MaxPeople, o.People)
	case !(o.Speed >= MinSpeed && o.Speed <= MaxSpeed):
		return fmt.Errorf("%w: the speed must be from %g to %d, not %g", errOption, MinSpeed, MaxSpeed, o.Speed)
	}
	return nil
}

// New returns a simulation that begins now, and creates its directory, which
// [Simulation.Close] removes.
func New(o Options, now time.Time) (*Simulation, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ccwatchd-demo-")
	if err != nil {
		return nil, fmt.Errorf("create directory for the demo: %w", err)
	}
	s := &Simulation{Options: o, dir: dir, sessions: corpus.NewWriter(o.Seed, projects, now, o.Speed)}
	for i := range o.People {
		name := nameOf(i)
		s.people = append(s.people, Person{name, filepath.Join(dir, "people", name)})
	}
	for i, lines := range s.sessions.Showcase(max(minSessions, o.People), now) {
		w := &writer{home: s.people[i%o.People].Home, name: strconv.Itoa(1000 + i)}
		w.begin(lines)
		s.writers = append(s.writers, w)
	}
	for _, p := range s.people {
		if err := os.MkdirAll(p.Projects(), 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("create directory for the demo: %w", err), s.Close())
		}
	}
	if err := s.writePast(now); err != nil {
		return nil, errors.Join(fmt.Errorf("write demo sessions: %w", err), s.Close())
	}
	return s, nil
}

// People returns the members of the team.
func (s *Simulation) People() []Person { return s.people }

// Dir returns the directory of all files.
func (s *Simulation) Dir() string { return s.dir }

// StateDir returns a directory below Dir for the state of a daemon. It does not exist
// yet.
func (s *Simulation) StateDir() string { return filepath.Join(s.dir, "state") }

// Close removes Dir.
func (s *Simulation) Close() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove the demo: %w", err)
	}
	return nil
}

// Run writes each line when it is due, until ctx is done, which is no error.
func (s *Simulation) Run(ctx context.Context) error {
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
		}
		next, err := s.write(ctx, time.Now())
		if err != nil {
			return fmt.Errorf("write demo sessions: %w", err)
		}
		due.Reset(time.Until(next))
	}
}

// write writes all lines that are due and returns when the next one is. It stops early
// when ctx is done.
func (s *Simulation) write(ctx context.Context, now time.Time) (next time.Time, err error) {
	for ctx.Err() == nil {
		w := slices.MinFunc(s.writers, func(a, b *writer) int { return a.due().Compare(b.due()) })
		if w.due().After(now) {
			return w.due(), nil
		}
		if err := w.write(); err != nil {
			return time.Time{}, err
		}
		if len(w.lines) == 0 {
			if err := s.beginNext(w, now); err != nil {
				return time.Time{}, err
			}
		}
	}
	return now, nil
}

// beginNext begins the next session of a writer. A writer that is late, because the
// machine was suspended, does not catch up.
func (s *Simulation) beginNext(w *writer, now time.Time) error {
	at := w.last
	if now.Sub(at) > maxDelay {
		at = now
	}
	at = at.Add(time.Duration(float64(pause) / s.Speed))
	for len(w.lines) == 0 { // some sessions are empty
		w.begin(s.sessions.Session(at))
	}
	return errors.Join(w.register(), w.cleanUp())
}

// nameOf returns the name of the i-th person.
func nameOf(i int) string {
	names := [...]string{"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "kim", "leo"}
	if i < len(names) {
		return names[i]
	}
	return names[i%len(names)] + strconv.Itoa(i/len(names)+1)
}

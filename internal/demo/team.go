package demo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/corpus"
)

// Options say what kind of team it is.
type Options struct {
	Seed   uint64  // what is left to chance depends on it
	People int     // how many there are, at least one and no more than MaxPeople
	Speed  float64 // how many times as fast as real people, from MinSpeed to MaxSpeed
}

// The bounds of Options.
const (
	MaxPeople = 100
	MinSpeed  = 0.1
	MaxSpeed  = 1000
)

// projects is how many projects a team has.
const projects = 6

// fewSessions is how many sessions there are at once at least. What can happen is
// spread over the first ones: with fewer, seeing all of it would take too long.
const fewSessions = 5

// A Team is some people at work. Its methods are for one goroutine at a time.
type Team struct {
	Options
	dir    string
	author *corpus.Writer
	people []Person
	desks  []*desk
}

// A Person is one of the team.
type Person struct {
	Name string
	Home string // what ~/.claude is to others
}

// Projects is the directory of the person's sessions.
func (p Person) Projects() string { return filepath.Join(p.Home, "projects") }

// errOption is that of a team that cannot be.
var errOption = errors.New("there is no such team")

func (o Options) check() error {
	switch {
	case o.People < 1 || o.People > MaxPeople:
		return fmt.Errorf("%w: it has from 1 to %d people, and not %d", errOption, MaxPeople, o.People)
	case !(o.Speed >= MinSpeed && o.Speed <= MaxSpeed):
		return fmt.Errorf("%w: it works from %g to %d times as fast as people do, and not %g times", errOption, MinSpeed, MaxSpeed, o.Speed)
	}
	return nil
}

// Assemble makes a team that begins to work now, and the directory that it lives
// in. What [Team.Work] then writes is removed by [Team.Disband].
func Assemble(o Options, now time.Time) (*Team, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ccwatchd-demo-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	t := &Team{Options: o, dir: dir, author: corpus.NewWriter(o.Seed, projects, now, o.Speed)}
	for i := range o.People {
		name := nameOf(i)
		t.people = append(t.people, Person{name, filepath.Join(dir, "people", name)})
	}
	for i, lines := range t.author.Showcase(max(fewSessions, o.People), now) {
		d := &desk{home: t.people[i%o.People].Home}
		d.begin(lines)
		t.desks = append(t.desks, d)
	}
	for _, p := range t.people {
		if err := os.MkdirAll(p.Projects(), 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("make a home: %w", err), t.Disband())
		}
	}
	return t, nil
}

// People are all of the team.
func (t *Team) People() []Person { return t.people }

// Dir is where everything lies.
func (t *Team) Dir() string { return t.dir }

// StateDir is a directory below Dir for whoever watches the team. It is not there
// yet.
func (t *Team) StateDir() string { return filepath.Join(t.dir, "state") }

// Disband removes everything below Dir, and Dir.
func (t *Team) Disband() error {
	if err := os.RemoveAll(t.dir); err != nil {
		return fmt.Errorf("remove the demo: %w", err)
	}
	return nil
}

// names are those of people in examples.
var names = [...]string{"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "kim", "leo"}

func nameOf(i int) string {
	if i < len(names) {
		return names[i]
	}
	return names[i%len(names)] + strconv.Itoa(i/len(names)+1)
}

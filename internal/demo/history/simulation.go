package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/demo"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/test/corpus"
)

const (
	projects = 6
	process  = "1000" // of each person, in the registry of running sessions
)

// A simulation is a team that works from the morning to the evening, Monday to Friday.
type simulation struct {
	sessions *corpus.Writer
	rng      *rand.Rand
	people   []*person
}

// A person has one session after another, and beside them a showcase with everything
// that can happen.
type person struct {
	name, home string
	begins     time.Time     // when the next session begins
	began      time.Time     // when the current one began
	session    string        // its id
	lines      []corpus.Line // of the current session, still to be written
	showcase   []corpus.Line // still to be written
}

var names = [...]string{"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"}

// newSimulation returns a simulation from begin to end. The homes of its people, at
// most as many as there are names, are below dir.
func newSimulation(dir string, seed uint64, people int, begin, end time.Time) (*simulation, error) {
	s := &simulation{
		sessions: corpus.NewWriter(seed, projects, begin, 1),
		rng:      rand.New(rand.NewPCG(seed, 0)), //nolint:gosec // reproducible, not secret
	}
	for i, lines := range s.sessions.Showcase(people, end.Add(-2*time.Hour)) {
		p := &person{name: names[i], home: filepath.Join(dir, names[i]), begins: s.workingHours(begin), showcase: lines}
		s.people = append(s.people, p)
		if err := os.MkdirAll(p.projects(), 0o700); err != nil {
			return nil, fmt.Errorf("create home: %w", err)
		}
	}
	return s, nil
}

// projects returns the directory of the sessions.
func (p *person) projects() string { return filepath.Join(p.home, "projects") }

// work writes all lines that are due and returns the number of files with a complete
// new line.
func (s *simulation) work(now time.Time) (files int, err error) {
	for _, p := range s.people {
		due := s.due(p, now)
		for _, path := range slices.Sorted(maps.Keys(due)) {
			text := due[path]
			if err := p.append(path, text, now); err != nil {
				return files, err
			}
			if bytes.IndexByte(text, '\n') >= 0 {
				files++
			}
		}
		if err := p.register(); err != nil {
			return files, err
		}
	}
	return files, nil
}

// register keeps the registry of running sessions, which has the current one.
func (p *person) register() error {
	if len(p.lines) > 0 {
		return demo.Register(p.home, process, p.session, p.began)
	}
	if err := os.Remove(filepath.Join(p.home, "sessions", process+".json")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// limits returns how full the usage limits of the people are.
func (s *simulation) limits(now time.Time) []limits.Window {
	all := make([]string, 0, len(s.people))
	for _, p := range s.people {
		all = append(all, p.name)
	}
	return demo.Limits(all, now)
}

// due returns what a person writes until now, by file.
func (s *simulation) due(p *person, now time.Time) map[string][]byte {
	due := map[string][]byte{}
	take(&p.showcase, now, due)
	for {
		if last := take(&p.lines, now, due); len(p.lines) > 0 {
			return due
		} else if !last.IsZero() {
			p.begins = s.workingHours(last.Add(s.between(2*time.Minute, 25*time.Minute)))
		}
		if p.begins.After(now) {
			return due
		}
		if p.lines = s.sessions.Session(p.begins); len(p.lines) > 0 {
			p.session, p.began = demo.Session(p.lines), p.begins
		}
		p.begins = p.begins.Add(time.Minute) // in case it has no lines
	}
}

// take moves the lines that are due, and returns the time of the last one.
func take(lines *[]corpus.Line, now time.Time, due map[string][]byte) (last time.Time) {
	for len(*lines) > 0 && !(*lines)[0].At.After(now) {
		line := (*lines)[0]
		due[line.Path] = append(due[line.Path], line.Text...)
		*lines, last = (*lines)[1:], line.At
	}
	return last
}

// workingHours returns when somebody begins who is free at a time.
func (s *simulation) workingHours(at time.Time) time.Time {
	switch hour := at.Hour(); {
	case hour < 8:
		at = at.Truncate(day)
	case hour >= 18:
		at = at.Truncate(day).Add(day)
	case at.Weekday() != time.Saturday && at.Weekday() != time.Sunday:
		return at
	}
	for at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
		at = at.Truncate(day).Add(day)
	}
	return at.Truncate(day).Add(s.between(8*time.Hour, 10*time.Hour))
}

func (s *simulation) between(least, most time.Duration) time.Duration {
	return least + time.Duration(s.rng.Int64N(int64(most-least)))
}

// append appends to a file, whose modification time is set to now.
func (p *person) append(path string, text []byte, now time.Time) error {
	name := filepath.Join(p.home, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close(), os.Chtimes(name, now, now))
}

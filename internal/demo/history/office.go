package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/corpus"
)

// projects is how many projects there are.
const projects = 6

// An office is where people work from the morning to the evening, Monday to
// Friday, and what they have Claude Code do.
type office struct {
	author *corpus.Writer
	dice   *rand.Rand
	people []*person
}

// A person has one session after another, and one beside them in which everything
// happens that can.
type person struct {
	name, home string
	begins     time.Time     // the next session
	lines      []corpus.Line // of this one, that are still to be written
	showcase   []corpus.Line // of the other one
}

var names = [...]string{"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"}

// newOffice returns an office from one time to another. Its people, no more than
// there are names, live below dir.
func newOffice(dir string, seed uint64, people int, begin, end time.Time) (*office, error) {
	o := &office{
		author: corpus.NewWriter(seed, projects, begin, 1),
		dice:   rand.New(rand.NewPCG(seed, 0)), //nolint:gosec // chance that can be repeated
	}
	for i, lines := range o.author.Showcase(people, end.Add(-2*time.Hour)) {
		p := &person{name: names[i], home: filepath.Join(dir, names[i]), begins: o.workingHours(begin), showcase: lines}
		o.people = append(o.people, p)
		if err := os.MkdirAll(p.projects(), 0o700); err != nil {
			return nil, fmt.Errorf("make a home: %w", err)
		}
	}
	return o, nil
}

// projects is the directory of a person's sessions.
func (p *person) projects() string { return filepath.Join(p.home, "projects") }

// work writes all lines that are due, and returns to how many files.
func (o *office) work(now time.Time) (files int, err error) {
	for _, p := range o.people {
		due := o.due(p, now)
		for _, path := range slices.Sorted(maps.Keys(due)) {
			text := due[path]
			if err := p.append(path, text, now); err != nil {
				return files, err
			}
			if bytes.IndexByte(text, '\n') >= 0 {
				files++
			}
		}
	}
	return files, nil
}

// due returns what a person has written by now, by file.
func (o *office) due(p *person, now time.Time) map[string][]byte {
	due := map[string][]byte{}
	take(&p.showcase, now, due)
	for {
		if last := take(&p.lines, now, due); len(p.lines) > 0 {
			return due
		} else if !last.IsZero() {
			p.begins = o.workingHours(last.Add(o.between(2*time.Minute, 25*time.Minute)))
		}
		if p.begins.After(now) {
			return due
		}
		p.lines = o.author.Session(p.begins)
		p.begins = p.begins.Add(time.Minute) // should it have no lines
	}
}

// take moves the lines that are due, and returns the time of the last one of them.
func take(lines *[]corpus.Line, now time.Time, due map[string][]byte) (last time.Time) {
	for len(*lines) > 0 && !(*lines)[0].At.After(now) {
		line := (*lines)[0]
		due[line.Path] = append(due[line.Path], line.Text...)
		*lines, last = (*lines)[1:], line.At
	}
	return last
}

// workingHours returns when somebody who could begin at a time does.
func (o *office) workingHours(at time.Time) time.Time {
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
	return at.Truncate(day).Add(o.between(8*time.Hour, 10*time.Hour))
}

func (o *office) between(least, most time.Duration) time.Duration {
	return least + time.Duration(o.dice.Int64N(int64(most-least)))
}

// append writes to a file as if it were now.
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

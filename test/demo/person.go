package demo

import (
	"math"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/limits"
)

// A Person is a member of a team.
type Person struct {
	Name string
	Home string // like ~/.claude

	number int
}

// newPerson returns a person of a number, with a home below a directory.
func newPerson(dir string, number int) Person {
	name := nameOf(number)
	return Person{name, filepath.Join(dir, name), number}
}

// Labels returns the labels of the person's sessions: the person, and the machine.
func (p Person) Labels() map[string]string {
	return map[string]string{"user": p.Name, "host": p.Name + "-laptop"}
}

// Projects returns the directory of the person's sessions.
func (p Person) Projects() string { return filepath.Join(p.Home, "projects") }

// Limits returns how full the usage limits of the person are, as a status line reports
// it. They fill fastest in the middle of a window, those of some people before they
// reset. The plan of every fourth has no window of five hours, but one for a model.
func (p Person) Limits(now time.Time) *limits.Report {
	const week = 7 * 24 * time.Hour
	windows := map[string]time.Duration{"five_hour": 5 * time.Hour, "seven_day": week}
	if p.number%4 == 3 {
		windows = map[string]time.Duration{"seven_day": week, "seven_day_opus": week}
	}
	all := make(map[string]limits.Usage)
	for window, length := range windows {
		offset := length * time.Duration(p.number%7) / 7 // the windows of people begin at different times
		began := now.Add(-offset).Truncate(length).Add(offset)
		passed := float64(now.Sub(began)) / float64(length)
		used := 100 * min(1, (0.6+0.2*float64(p.number%4))*(passed-0.1*math.Sin(2*math.Pi*passed)))
		resets := began.Add(length).Unix()
		all[window] = limits.Usage{Percentage: &used, Resets: &resets}
	}
	return &limits.Report{Session: p.Name, Transcript: filepath.Join(p.Projects(), "session.jsonl"), Limits: all}
}

// nameOf returns the name of the i-th person.
func nameOf(i int) string {
	names := [...]string{"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "kim", "leo"}
	if i < len(names) {
		return names[i]
	}
	return names[i%len(names)] + strconv.Itoa(i/len(names)+1)
}

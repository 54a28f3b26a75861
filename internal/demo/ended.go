package demo

import (
	"errors"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
)

const (
	// endedSessions is the number of sessions of the day before. Their last lines are a
	// day old, one after another, while the simulation runs: then they count as ended.
	endedSessions = 24
	// endedEvery is the time between two of them.
	endedEvery = 10 * time.Second
)

// writePast writes what exists when the simulation begins: the sessions of the day
// before, and the registry of running ones.
func (s *Simulation) writePast(now time.Time) error {
	begin := now.Add(-24*time.Hour - endedSessions/4*endedEvery)
	sessions := corpus.NewWriter(s.Seed+1, projects, begin, s.Speed)
	var errs []error
	for _, w := range s.writers {
		errs = append(errs, w.register())
	}
	for i := range endedSessions {
		w := &writer{home: s.people[i%len(s.people)].Home}
		w.begin(sessions.Session(begin.Add(time.Duration(i) * endedEvery)))
		for len(w.lines) > 0 {
			errs = append(errs, w.write())
		}
	}
	return errors.Join(errs...)
}

package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Options say what to simulate.
type Options struct {
	Seed   uint64  // of the random numbers
	People int     // from 1 to MaxPeople
	Days   int     // of work before the simulation begins
	Speed  float64 // a multiple of the real speed, from MinSpeed to MaxSpeed
}

// The bounds of Options.
const (
	MaxPeople = 100
	MinSpeed  = 0.1
	MaxSpeed  = 1000
)

const (
	// endedSessions is the number of sessions of the day before. Their last lines are a
	// day old, one after another, while the simulation runs: then they count as ended.
	endedSessions = 60
	// endedEvery is the time between two of them.
	endedEvery = 10 * time.Second
	// minSessions is the minimum of sessions at a time. What can happen is spread over
	// the first ones: with fewer, it would take too long to see all of it.
	minSessions = 5
	// pause is the time between two sessions of a writer, at the real speed.
	pause = 30 * time.Second
	// officePause is the time between two sessions of the past, of all people together:
	// the files of a larger team take no more space.
	officePause = time.Hour
	// maxDelay is the delay up to which a late writer catches up. It is shorter than the
	// timeouts of the demo: on a busy machine, sessions must not seem idle.
	maxDelay = time.Second
)

// A Simulation is a team at work.
type Simulation struct {
	*Team
	Speed float64

	dir string
}

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

// New returns a simulation with the past before now. It creates its directory, which
// [Simulation.Close] removes.
func New(o Options, now time.Time) (*Simulation, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ccwatchd-demo-")
	if err != nil {
		return nil, fmt.Errorf("create directory for the demo: %w", err)
	}
	s := &Simulation{Speed: o.Speed, dir: dir}
	begin := now.AddDate(0, 0, -o.Days)
	s.Team, err = NewOffice(filepath.Join(dir, "people"), o.Seed, o.People, time.Duration(o.People)*officePause, begin)
	// Files get the time of the step in which they are written.
	for at := begin; err == nil && at.Before(now); at = at.Add(time.Hour) {
		_, err = s.Write(at)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// begin ends the past and begins the first sessions.
func (s *Simulation) begin(now time.Time) error {
	ended := now.Add(-24*time.Hour - endedSessions/4*endedEvery)
	s.sessions.SetSpeed(ended, s.Speed)
	s.writers = nil
	for i := range endedSessions {
		w := &writer{home: s.People[i%len(s.People)].Home}
		w.begin(s.sessions.Session(ended.Add(time.Duration(i) * endedEvery)))
		s.writers = append(s.writers, w)
	}
	_, err := s.Write(now)
	s.sessions.SetSpeed(now, s.Speed)
	s.writers = nil
	s.AddShowcase(max(minSessions, len(s.People)), now)
	for _, w := range s.writers {
		w.next = s.next
	}
	return errors.Join(err, s.Register())
}

// next returns when a writer begins its next session. One that is late, because the
// machine was suspended, does not catch up.
func (s *Simulation) next(end, now time.Time) time.Time {
	if now.Sub(end) > maxDelay {
		end = now
	}
	return end.Add(time.Duration(float64(pause) / s.Speed))
}

// Dir returns the directory of all files.
func (s *Simulation) Dir() string { return s.dir }

// Close removes Dir.
func (s *Simulation) Close() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove the demo: %w", err)
	}
	return nil
}

// Run begins now and writes each line when it is due, until ctx is done, which is no
// error.
func (s *Simulation) Run(ctx context.Context) error {
	if err := s.begin(time.Now()); err != nil {
		return err
	}
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
		}
		next, err := s.write(time.Now())
		if err != nil {
			return err
		}
		due.Reset(time.Until(next))
	}
}

// write writes all lines that are due and returns when the next one is.
func (s *Simulation) write(now time.Time) (next time.Time, err error) {
	_, err = s.Write(now)
	next = never
	for _, w := range s.writers {
		err = errors.Join(err, w.cleanUp())
		if at := w.due(); at.Before(next) {
			next = at
		}
	}
	return next, err
}

package demo

import (
	"math"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// Limits returns how full the usage limits of the people are.
func (s *Simulation) Limits(now time.Time) []limits.Window {
	var names []string
	for _, p := range s.people {
		names = append(names, p.Name)
	}
	return Limits(names, now)
}

// Limits returns how full the usage limits of people are. They fill fastest in the
// middle of a window, those of some people before they reset.
func Limits(names []string, now time.Time) (all []limits.Window) {
	for i, name := range names {
		for window, length := range map[string]time.Duration{"five_hour": 5 * time.Hour, "seven_day": 7 * 24 * time.Hour} {
			offset := length * time.Duration(i%7) / 7 // the windows of people begin at different times
			began := now.Add(-offset).Truncate(length).Add(offset)
			pace := 0.6 + 0.2*float64(i%4)
			all = append(all, limits.Window{
				Name: window, Source: string(ledger.NewSourceLabels(Labels(name))),
				Used:   min(1, pace*progress(float64(now.Sub(began))/float64(length))),
				Resets: began.Add(length),
			})
		}
	}
	return all
}

// progress returns the part of the work of a window that is done when a part of its
// time has passed.
func progress(passed float64) float64 { return passed - 0.1*math.Sin(2*math.Pi*passed) }

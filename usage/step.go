package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
)

// A Step is the length of the periods that a Usage has rows for.
type Step string

// The steps. A week begins on Monday.
const (
	Total       Step = "total" // one period: the whole range
	FiveMinutes Step = "5m"
	Hour        Step = "hour"
	Day         Step = "day"
	Week        Step = "week"
	Month       Step = "month"
)

var steps = []Step{Total, FiveMinutes, Hour, Day, Week, Month}

// ParseStep returns the step with a name.
func ParseStep(name string) (Step, error) {
	if s := Step(name); slices.Contains(steps, s) {
		return s, nil
	}
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = string(s)
	}
	return "", fmt.Errorf("unknown step %q: use one of %s", name, strings.Join(names, ", "))
}

// Start returns the beginning of the period with a time, in the zone of the time.
func (s Step) Start(t time.Time) time.Time {
	switch s {
	case FiveMinutes:
		return t.Truncate(counters.Interval)
	case Hour:
		_, offset := t.Zone()
		local := time.Duration(offset) * time.Second
		return t.Add(local).Truncate(time.Hour).Add(-local)
	case Day, Week, Month:
		return s.startOf(t, 0)
	}
	return time.Time{}
}

// Next returns the beginning of the period after the one with a time.
func (s Step) Next(t time.Time) time.Time {
	switch s {
	case FiveMinutes:
		return s.Start(t).Add(counters.Interval)
	case Hour:
		return s.Start(t).Add(time.Hour)
	case Day, Week, Month:
		return s.startOf(t, 1)
	}
	return maxTime
}

// startOf returns the beginning of the period n periods after the period of a time.
func (s Step) startOf(t time.Time, n int) time.Time {
	year, month, day := t.Date()
	switch s {
	case Week:
		day += 7*n - (int(t.Weekday())+6)%7
	case Month:
		month, day = month+time.Month(n), 1
	default:
		day += n
	}
	return Midnight(year, month, day, t.Location())
}

// Midnight returns the beginning of a day. Where clocks go forward at midnight, that is
// 01:00, and where they go back at 01:00, it is the first of two midnights.
func Midnight(year int, month time.Month, day int, in *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, in)
	begin, end := t.ZoneBounds()
	if t.Hour() != 0 && !end.IsZero() && end.Sub(t) < 3*time.Hour && t.Day() != time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day() {
		return end.In(in) // 23:00 of the day before
	}
	if first := t.Add(-time.Hour); first.Day() == t.Day() && !begin.IsZero() {
		return first
	}
	return t
}

// maxTime is later than every time of a record.
var maxTime = time.Unix(1<<40, 0)

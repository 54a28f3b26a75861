package usage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
)

// A Step is the length of the periods that a Usage has rows for. After a colon, Week
// can have the day on which weeks begin, such as week:sunday, and Month the day on
// which months begin, such as month:7.
type Step string

// The steps. A week begins on Monday, and a month on its first day.
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
	s := Step(name)
	if _, begin, stated := strings.Cut(name, ":"); slices.Contains(steps, s.Kind()) {
		switch isKnown := slices.Contains(weekdays, begin); {
		case !stated:
			return s, nil
		case s.Kind() == Week && isKnown, s.Kind() == Month && s.monthStart() > 0:
			return s, nil
		case s.Kind() == Week:
			return "", fmt.Errorf("weeks cannot begin on %q: use one of %s", begin, strings.Join(weekdays, ", "))
		case s.Kind() == Month:
			return "", fmt.Errorf("months cannot begin on %q: use one of 1 to %d", begin, maxMonthStart)
		}
	}
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = string(s)
	}
	return "", fmt.Errorf("unknown step %q: use one of %s", name, strings.Join(names, ", "))
}

// weekdays are the days on which weeks can begin, from time.Sunday on.
var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// maxMonthStart is the last day that all months have.
const maxMonthStart = 28

// Kind returns the step without the day on which its periods begin.
func (s Step) Kind() Step {
	kind, _, _ := strings.Cut(string(s), ":")
	return Step(kind)
}

// weekStart returns the day on which weeks begin.
func (s Step) weekStart() time.Weekday {
	_, begin, _ := strings.Cut(string(s), ":")
	if day := slices.Index(weekdays, begin); day >= 0 {
		return time.Weekday(day)
	}
	return time.Monday
}

// monthStart returns the day on which months begin, 0 if it is not one that all months
// have.
func (s Step) monthStart() int {
	_, begin, stated := strings.Cut(string(s), ":")
	if !stated {
		return 1
	}
	if day, err := strconv.Atoi(begin); err == nil && day >= 1 && day <= maxMonthStart {
		return day
	}
	return 0
}

// Start returns the beginning of the period with a time, in the zone of the time.
func (s Step) Start(t time.Time) time.Time {
	switch s.Kind() {
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
	switch s.Kind() {
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
	switch s.Kind() {
	case Week:
		day += 7*n - (int(t.Weekday()-s.weekStart())+7)%7
	case Month:
		if day < s.monthStart() {
			n--
		}
		month, day = month+time.Month(n), s.monthStart()
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

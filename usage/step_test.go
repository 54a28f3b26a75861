package usage

import (
	"testing"
	"time"
	_ "time/tzdata" // the same zones everywhere
)

// Periods begin with the first moment of an hour, a day, a Monday or a month, whatever
// clocks do. In Cairo and Santiago they go forward at midnight, in Havana back to it,
// and so they did in Amman until 2021.
func TestPeriods(t *testing.T) {
	for _, name := range []string{
		"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Africa/Cairo",
		"America/Santiago", "America/Havana", "Asia/Amman", "Asia/Beirut", "Pacific/Apia",
	} {
		in, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := time.Date(2021, 1, 1, 0, 0, 0, 0, in); at.Year() < 2025; at = at.Add(55 * time.Minute) {
			for step, isFirst := range map[Step]func(first, before time.Time) bool{
				FiveMinutes: func(first, _ time.Time) bool { return first.Minute()%5 == 0 && first.Second() == 0 },
				Hour:        func(first, _ time.Time) bool { return first.Minute() == 0 },
				Day:         func(first, before time.Time) bool { return first.Day() != before.Day() },
				Week: func(first, before time.Time) bool {
					return first.Day() != before.Day() && first.Weekday() == time.Monday
				},
				Month: func(first, before time.Time) bool { return first.Month() != before.Month() },
			} {
				start, next := step.Start(at), step.Next(at)
				if start.After(at) || !next.After(at) || !isFirst(start, start.Add(-time.Second)) || !step.Start(next).Equal(next) ||
					!step.Start(next.Add(-time.Second)).Equal(start) {
					t.Fatalf("%s of %v: from %v to %v", step, at, start, next)
				}
			}
		}
	}
}

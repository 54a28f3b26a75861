package usage

import (
	"strings"
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
				"week:sunday": func(first, before time.Time) bool {
					return first.Day() != before.Day() && first.Weekday() == time.Sunday
				},
				"week:saturday": func(first, before time.Time) bool {
					return first.Day() != before.Day() && first.Weekday() == time.Saturday
				},
				"month:7":  func(first, before time.Time) bool { return first.Day() == 7 && before.Day() == 6 },
				"month:28": func(first, before time.Time) bool { return first.Day() == 28 && before.Day() == 27 },
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

// A step states the day on which its periods begin, if they are weeks or months.
func TestParseStep(t *testing.T) {
	for _, name := range []string{"total", "5m", "hour", "day", "week", "month", "week:monday", "week:sunday", "month:1", "month:28"} {
		if step, err := ParseStep(name); err != nil || string(step) != name {
			t.Errorf("%s: got %q, %v", name, step, err)
		}
	}
	for name, want := range map[string]string{
		"":             `unknown step ""`,
		"year":         `unknown step "year"`,
		"day:7":        `unknown step "day:7"`,
		"week:":        `weeks cannot begin on "": use one of sunday`,
		"week:7":       `weeks cannot begin on "7"`,
		"month:0":      `months cannot begin on "0": use one of 1 to 28`,
		"month:29":     `months cannot begin on "29"`,
		"month:sunday": `months cannot begin on "sunday"`,
	} {
		if step, err := ParseStep(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %q, %v", name, step, err)
		}
	}
	if got := Step("month:7").Kind(); got != Month {
		t.Errorf("got the kind %s", got)
	}
}

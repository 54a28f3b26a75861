package web

import (
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/usagetest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// date returns a time of 2026 in UTC.
func date(month time.Month, day, hour, minute int) time.Time {
	return time.Date(2026, month, day, hour, minute, 0, 0, time.UTC)
}

// Every period has a beginning, an end, and the time that it is compared with.
func TestPeriods(t *testing.T) {
	for _, test := range []struct {
		name          string
		now           time.Time
		since, until  time.Time
		before, below time.Time // what it is compared with
		baseline      string
	}{
		{"today", now, date(11, 12, 0, 0), time.Time{}, date(11, 11, 0, 0), date(11, 11, 15, 45), "yesterday up to 15:45"},
		{"7d", now, date(11, 6, 0, 0), time.Time{}, date(10, 30, 0, 0), date(11, 5, 15, 45), "the 7 days before"},
		{"365d", now, date(11, 13, 0, 0).AddDate(-1, 0, 0), time.Time{}, date(11, 13, 0, 0).AddDate(-2, 0, 0), date(11, 12, 15, 45).AddDate(-1, 0, 0), "the 365 days before"},
		{"month", now, date(11, 1, 0, 0), time.Time{}, date(10, 1, 0, 0), date(10, 12, 15, 45), "last month up to 12 October 15:45"},
		{"month", date(3, 31, 15, 45), date(3, 1, 0, 0), time.Time{}, date(2, 1, 0, 0), date(3, 1, 0, 0), "last month"},
		{"month", date(1, 2, 8, 0), date(1, 1, 0, 0), time.Time{}, date(-11+12, 1, 0, 0).AddDate(0, -1, 0), date(1, 2, 8, 0).AddDate(0, -1, 0), "last month up to 2 December 08:00"},
		{"last-month", now, date(10, 1, 0, 0), date(11, 1, 0, 0), date(9, 1, 0, 0), date(10, 1, 0, 0), "the month before"},
	} {
		p, ok := periodNamed(test.name, test.now)
		if !ok || !p.since.Equal(test.since) || !p.until.Equal(test.until) || p.baseline != test.baseline ||
			!p.before.since.Equal(test.before) || !p.before.until.Equal(test.below) {
			t.Errorf("%s at %v: got %+v, compared with %+v", test.name, test.now, p, p.before)
		}
	}
}

// Selected days are compared with as many days before, if they include now up to the
// same time of day.
func TestDaysFrom(t *testing.T) {
	day := func(d int) time.Time { return date(11, d, 0, 0) }
	for _, test := range []struct {
		from, to            time.Time
		days                int
		step                usage.Step
		before, below       time.Time
		label, title, dates string
		now                 bool
	}{
		{day(10), day(10), 1, usage.Hour, day(9), day(10), "10 Nov", "10 November 2026", "Tuesday", false},
		{day(12), day(12), 1, usage.Hour, day(11), date(11, 11, 15, 45), "12 Nov", "12 November 2026", "Thursday", true},
		{day(2), day(8), 7, usage.Day, date(10, 26, 0, 0), day(2), "2 Nov – 8 Nov", "7 days", "2 November 2026 – 8 November 2026", false},
		{day(11), day(30), 2, usage.Day, day(9), date(11, 10, 15, 45), "11 Nov – 12 Nov", "2 days", "11 November 2026 – 12 November 2026", true},
		{day(11), time.Time{}, 2, usage.Day, day(9), date(11, 10, 15, 45), "11 Nov – 12 Nov", "2 days", "11 November 2026 – 12 November 2026", true},
		{date(1, 1, 0, 0), day(1), 305, usage.Week, date(3, 2, 0, 0).AddDate(-1, 0, 0), date(1, 1, 0, 0), "1 Jan – 1 Nov", "305 days", "1 January 2026 – 1 November 2026", false},
	} {
		p := daysFrom(test.from, test.to, now)
		title, dates := p.heading(time.Time{})
		if p.days() != test.days || p.step(time.Time{}) != test.step || p.Label != test.label || title != test.title || dates != test.dates || p.includesNow() != test.now {
			t.Errorf("got %+v, %d days, %s, %s", p, p.days(), title, dates)
		}
		if !p.before.since.Equal(test.before) || !p.before.until.Equal(test.below) {
			t.Errorf("%s is compared with %+v", p.Label, p.before)
		}
	}
	if p := daysFrom(time.Time{}, day(3), now); p.Label != "Until 3 Nov" || p.before != nil || p.isOneDay() {
		t.Errorf("got %+v", p)
	}
}

// Bars and days link to their period, and the usage of that period equals the bar.
func TestStepLinks(t *testing.T) {
	s := ordinary()
	for query, want := range map[string]string{
		"range=7d&project=storefront": "?from=2026-11-09&project=storefront&to=2026-11-09", "range=1y": "?from=2026-11-02&to=2026-11-08", "range=today": "",
	} {
		bars := usageOf(t, s, query).Charts[0].Bars
		b := bars[len(bars)-1]
		for i := range bars {
			if bars[i].Name == "Mon 9 Nov" || bars[i].Name == "2 Nov 2026" {
				b = bars[i]
			}
		}
		if b.URL != want {
			t.Errorf("%s: %s leads to %q, want %q", query, b.Name, b.URL, want)
		} else if want != "" {
			if got := usageOf(t, s, want[1:]).Facts[0].Value; got != b.Total && got != b.Total+"+" {
				t.Errorf("%s: the bar has %s, and its page %s", query, b.Total, got)
			}
		}
	}
	bars := usageOf(t, s, "range=7d").Charts[0].Bars
	if last := bars[len(bars)-1]; last.URL != "?range=today" {
		t.Errorf("the bar of today leads to %s", last.URL)
	}
}

// The calendar has a cell for each day, with its usage.
func TestCalendar(t *testing.T) {
	for query, want := range map[string]int{"range=30d": 0, "range=90d": 90, "range=1y": 365, "range=all": 368, "from=2025-12-01&to=2026-03-31": 121} {
		u := usageOf(t, heavy(), query)
		if u.Calendar == nil {
			if want > 0 {
				t.Errorf("%s: there is no calendar", query)
			}
			continue
		}
		days, used := 0, 0
		for _, week := range u.Calendar.Weeks {
			days += len(week.Days)
			for _, day := range week.Days {
				if day.URL != "" {
					used++
				}
			}
		}
		if days != want || used < want*9/10 || len(u.Calendar.Table) != len(u.Calendar.Weeks) || len(u.Calendar.Weeks) > maxWeeks {
			t.Errorf("%s: %d days, %d with usage, want %d", query, days, used, want)
		}
	}
	u := usageOf(t, ordinary(), "range=90d")
	last := u.Calendar.Weeks[len(u.Calendar.Weeks)-1].Days
	today := costIn(t, ordinary(), usage.Query{Since: date(11, 12, 0, 0)})
	if got := last[len(last)-1]; len(last) != 4 || got.URL != "?range=today" || got.Title+"+" != "Thu 12 Nov: "+today && got.Title != "Thu 12 Nov: "+today {
		t.Errorf("got %+v, want %s", got, today)
	}
}

// The present month goes on at the rate of the part of it that is recorded.
func TestProjection(t *testing.T) {
	for _, test := range []struct {
		period   string
		recorded time.Time
		want     string // of $100
	}{
		{"month", date(1, 1, 0, 0), "$257.37"}, // 11 days, 15 hours and 45 minutes of 30 days
		{"month", date(11, 2, 15, 45), "$283.44"},
		{"month", date(11, 12, 0, 0), ""},
		{"30d", date(1, 1, 0, 0), ""},
	} {
		p, _ := periodNamed(test.period, now)
		s := span{period: p, current: usage.Usage{Measures: []usage.Measure{usage.Cost}, Recorded: test.recorded}}
		s.current.Total[usage.Cost], s.current.Total[usage.OutputTokens] = 100e9, 1
		if f, _ := s.projection(); f.Value != test.want || test.want != "" && f.Name != "At this rate by the end of November" {
			t.Errorf("%s since %v: got %+v, want %s", test.period, test.recorded, f, test.want)
		}
	}
}

// A filter of users is there if sources have several.
func TestUsers(t *testing.T) {
	s := ordinary()
	if n := len(usageOf(t, s, "").Filters); n != 2 {
		t.Errorf("got %d filters without users", n)
	}
	s = usagetest.NewScene("team", now)
	u := usageOf(t, s, "user=ann&range=all")
	want := values(t, s, usage.Query{Where: map[string][]string{"user": {"ann"}}})
	if all := values(t, s, usage.Query{}); want.Tokens() == 0 || want.Tokens() == all.Tokens() {
		t.Errorf("ann has %d of %d tokens", want.Tokens(), all.Tokens())
	}
	if f := u.Filters[2]; f.Selected != "ann" || len(f.Links) != 3 || u.Charts[0].Series[0].Values.Tokens() == 0 || u.Facts[0].Value != costIn(t, s, usage.Query{Where: map[string][]string{"user": {"ann"}}}) {
		t.Errorf("got filter %+v, facts %+v", f, u.Facts)
	}
	for _, session := range u.Sessions.Sessions {
		if session.ID == "" {
			t.Errorf("got %+v", session)
		}
	}
}

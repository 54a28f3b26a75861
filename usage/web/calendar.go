package web

import (
	"fmt"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
)

// A calendar shows the usage of each day, in a column for each week.
type calendar struct {
	Title, About string
	Short        bool   // it has few weeks
	Width        string // of a week
	Weeks        []calendarWeek
	Rows         []tick // names of weekdays
	Months       []tick
	Table        []weekRow
	Levels       []heatCell // of the legend
	Toggle       toggle     // of the table
}

// A calendarWeek is a column of the calendar.
type calendarWeek struct {
	X    string
	Days []calendarDay
}

// A calendarDay is a day of the calendar.
type calendarDay struct {
	Class, Y   string
	URL, Title string // empty without usage
}

// A weekRow is a row of the table: a week.
type weekRow struct {
	Name, URL string
	Cells     []string // of its days; empty outside of the period
}

const (
	// Periods of at least minCalendar days have a calendar, which shows at most maxWeeks.
	minCalendar, maxWeeks = 90, 53
	calendarRowHeight     = 16 // pixels
)

// newCalendar returns the calendar of a usage by hour, or nil if its period is short.
func newCalendar(u *usage.Usage, s selection, a amount) *calendar {
	days := s.period.steps(usage.Day, u.Recorded)
	if len(days) < minCalendar {
		return nil
	}
	first := usage.Week.Start(days[len(days)-1].AddDate(0, 0, -7*(maxWeeks-1)))
	for days[0].Before(first) {
		days = days[1:]
	}
	amounts, highest := daily(u, days[0], a)
	c := &calendar{
		Title: a.noun + " by day", Levels: heatLegend(), Toggle: s.toggle(calendarPart, asTable(a.noun+" by day")),
		About: fmt.Sprintf("A calendar with a column for each week %s. The most is %s.", dayRange(days[0], s.period.last()), a.show(highest)),
	}
	for day := range weekdays {
		c.Rows = append(c.Rows, tick{At: fmt.Sprint(heatTop + day*calendarRowHeight + 12), Text: weekdayName(day), Minor: day%2 == 1})
	}
	weeks := 1
	for _, day := range days[1:] {
		if day.Weekday() == time.Monday {
			weeks++
		}
	}
	width := 100 / float64(weeks)
	c.Short, c.Width = weeks <= maxWeeks/2, percent(0.86*width)
	for i, day := range days {
		x := percent(float64(len(c.Weeks)) * width)
		if i == 0 || day.Weekday() == time.Monday {
			c.Weeks, c.Table = append(c.Weeks, calendarWeek{X: x}), append(c.Table, newWeekRow(day, s))
		}
		week := len(c.Weeks) - 1
		if day.Day() == 1 {
			c.Months = append(c.Months, tick{At: c.Weeks[week].X, Text: day.Format("Jan"), Minor: int(day.Month())%2 == 0 && !c.Short})
		}
		amount := amounts[day.Unix()]
		row := (int(day.Weekday()) + 6) % weekdays
		box := calendarDay{Class: fmt.Sprint("h", heatLevel(amount, highest)), Y: fmt.Sprint(heatTop + row*calendarRowHeight)}
		if amount > 0 {
			box.URL, box.Title = s.stepURL(day, usage.Day), day.Format(weekdayFormat)+": "+a.show(amount)
		}
		c.Table[week].Cells[row] = cell(amount, a)
		c.Weeks[week].Days = append(c.Weeks[week].Days, box)
	}
	return c
}

// daily returns the amount of each day from a day on, by its beginning in seconds since
// the epoch, and the highest.
func daily(u *usage.Usage, from time.Time, a amount) (amounts map[int64]float64, highest float64) {
	amounts = make(map[int64]float64)
	for i := range u.Rows {
		if day := usage.Day.Start(u.Rows[i].Start); !day.Before(from) {
			at := day.Unix()
			amounts[at] += a.value(&u.Rows[i].Values)
			highest = max(highest, amounts[at])
		}
	}
	return amounts, highest
}

func newWeekRow(day time.Time, s selection) weekRow {
	week := usage.Week.Start(day)
	return weekRow{Name: stepName(week, usage.Week), URL: s.stepURL(week, usage.Week), Cells: make([]string, weekdays)}
}

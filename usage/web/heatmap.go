package web

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
)

// A heatMap shows the usage of the selected period by weekday and hour of the day.
type heatMap struct {
	Title, About string
	Cells        []heatCell
	Rows         []tick // weekdays
	Hours        []tick
	Table        []heatRow
	Levels       []heatCell // of the legend
	Toggle       toggle     // of the table
}

// A heatCell is an hour of a weekday.
type heatCell struct {
	Class, X, Y, Title string
}

// A heatRow is a row of the table: an hour of all weekdays.
type heatRow struct {
	Hour  string
	Cells []string
}

const (
	weekdays, hours = 7, 24
	heatTop         = 18 // pixels above the first row
	heatRowHeight   = 24 // pixels
	// heatLevels is the number of colors for hours with usage.
	heatLevels = 5
)

func newHeatMap(u *usage.Usage, a amount) *heatMap {
	var amounts [weekdays][hours]float64
	highest, when := 0.0, ""
	for i := range u.Rows {
		at := u.Rows[i].Start
		n := &amounts[(int(at.Weekday())+6)%weekdays][at.Hour()]
		if *n += a.value(&u.Rows[i].Values); *n > highest {
			highest, when = *n, fmt.Sprintf("%s from %s to %s", at.Weekday(), clock(at.Hour()), clock(at.Hour()+1))
		}
	}
	m := &heatMap{
		Title: a.noun + " by weekday and hour", Levels: heatLegend(),
		About: fmt.Sprintf("A grid of weekdays and hours. The most is %s, on %s.", a.show(highest), when),
	}
	for day := range weekdays {
		name := weekdayName(day)
		m.Rows = append(m.Rows, tick{At: strconv.Itoa(heatTop + day*heatRowHeight + 16), Text: name})
		for hour := range hours {
			m.Cells = append(m.Cells, newHeatCell(name, day, hour, amounts[day][hour], highest, a))
		}
	}
	for hour := range hours {
		row := heatRow{Hour: clock(hour)}
		for day := range weekdays {
			row.Cells = append(row.Cells, cell(amounts[day][hour], a))
		}
		m.Table = append(m.Table, row)
		if hour%3 == 0 {
			m.Hours = append(m.Hours, tick{At: percent(float64(hour) * 100 / hours), Text: clock(hour), Minor: hour%6 != 0})
		}
	}
	return m
}

// heatLegend returns the colors from less to more.
func heatLegend() (all []heatCell) {
	for level := range heatLevels + 1 {
		all = append(all, heatCell{Class: "h" + strconv.Itoa(level), X: strconv.Itoa(16 * level)})
	}
	return all
}

// weekdayName returns the short name of a weekday. Weeks begin with Monday, the day 0.
func weekdayName(day int) string { return time.Weekday((day + 1) % weekdays).String()[:3] }

func newHeatCell(name string, day, hour int, amount, highest float64, a amount) heatCell {
	c := heatCell{
		Class: "h" + strconv.Itoa(heatLevel(amount, highest)),
		X:     percent(float64(hour) * 100 / hours), Y: strconv.Itoa(heatTop + day*heatRowHeight),
	}
	if amount > 0 {
		c.Title = fmt.Sprintf("%s %s–%s: %s", name, clock(hour), clock(hour+1), a.show(amount))
	}
	return c
}

// heatLevel returns the color of an amount: 0 for none, up to heatLevels. Levels follow
// the square root, since a few hours have most of the usage.
func heatLevel(amount, highest float64) int {
	if amount <= 0 {
		return 0
	}
	return min(heatLevels, 1+int(heatLevels*math.Sqrt(amount/highest)))
}

// clock formats an hour of the day.
func clock(hour int) string { return fmt.Sprintf("%02d:00", hour) }

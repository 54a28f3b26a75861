package web

import (
	"fmt"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
)

// newSessionChart returns the chart of the cost of a session by model, or of its tokens
// if it has no cost, with bars from one time to another, or nil without usage. models
// are described at newSessionDetail.
func newSessionChart(u *usage.Usage, models []string, first, last time.Time) *chart {
	if len(u.Rows) == 0 {
		return nil
	}
	by := costs
	if !isPriced(u) || isFree(u) {
		by = tokens
	}
	c := &chart{Label: modelParameter, Title: by.noun + " over time", Head: "Time", Priced: isPriced(u)}
	index := c.addSeries(u, models, by, func(string) string { return "" })
	var starts []time.Time
	for at := u.Step.Start(first); !at.After(last); at = u.Step.Next(at) {
		starts = append(starts, at)
	}
	layout := weekdayFormat + " 15:04"
	if u.Step == usage.Day {
		layout = weekdayFormat
	}
	highest := c.draw(u, index, by, starts, minBars, func(start time.Time) string { return start.Format(layout) })
	c.addTimes(starts, u.Step)
	c.About = fmt.Sprintf("Stacked bars from %s to %s. The highest is %s.", first.Format(layout), last.Format(layout), by.show(highest))
	return c
}

// minBars is the smallest number of bars to make room for, so that the bars of a short
// session are not wide.
const minBars = 12

// addTimes adds about six labels below the bars.
func (c *chart) addTimes(starts []time.Time, step usage.Step) {
	layout := "15:04"
	switch step {
	case usage.Hour:
		layout = "Mon 15:04"
	case usage.Day:
		layout = shortDay
	}
	n := max(len(starts), minBars)
	every := (n + 5) / 6
	for i := 0; i < len(starts); i += every {
		c.Dates = append(c.Dates, tick{
			At: percent((float64(i) + 0.5) * 100 / float64(n)), Text: starts[i].Format(layout), Minor: i/every%2 == 1,
		})
	}
}

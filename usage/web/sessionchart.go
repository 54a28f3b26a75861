package web

import (
	"fmt"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

// newSessionChart returns the chart of the requests of a session by model, with bars
// from one time to another, or nil if there are none.
func newSessionChart(u *usage.Usage, first, last time.Time) *chart {
	if len(u.Rows) == 0 {
		return nil
	}
	c := &chart{Label: modelParameter, Title: "Requests over time", Head: "Time", Priced: isPriced(u)}
	index := c.addSeries(u, nil, requests, func(string) string { return "" })
	amounts, highest := c.stack(u, index, requests)
	top, ticks := countAxis(highest)
	for _, t := range ticks {
		c.Ticks = append(c.Ticks, tick{At: pixels(plotTop + plotHeight*(1-t/top)), Text: format.Short(t)})
	}
	var starts []time.Time
	for at := u.Step.Start(first); !at.After(last); at = u.Step.Next(at) {
		starts = append(starts, at)
	}
	layout := weekdayFormat + " 15:04"
	if u.Step == usage.Day {
		layout = weekdayFormat
	}
	n := max(len(starts), minBars)
	c.Compact = n > 60
	for i, start := range starts {
		c.addBar(i, n, start.Format(layout), amounts[start.Unix()], top, requests)
	}
	c.addTimes(starts, n, u.Step)
	c.About = fmt.Sprintf("Stacked bars from %s to %s. The highest is %s.", first.Format(layout), last.Format(layout), requests.show(highest))
	return c
}

// minBars is the number of bars for which there is room. So a short session has narrow
// bars, not a few wide ones.
const minBars = 12

// countAxis returns the top of an axis of counts, and its ticks: whole numbers.
func countAxis(highest float64) (top float64, ticks []float64) {
	step := 1.0
	for _, next := range []float64{2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000} {
		if highest > 4*step {
			step = next
		}
	}
	for t := 0.0; t < highest+step; t += step {
		top, ticks = t, append(ticks, t)
	}
	return max(top, step), ticks
}

// addTimes adds about six labels below the bars of n steps.
func (c *chart) addTimes(starts []time.Time, n int, step usage.Step) {
	layout := "15:04"
	switch step {
	case usage.Hour:
		layout = "Mon 15:04"
	case usage.Day:
		layout = shortDay
	}
	every := (n + 5) / 6
	for i := 0; i < len(starts); i += every {
		c.Dates = append(c.Dates, tick{
			At: percent((float64(i) + 0.5) * 100 / float64(n)), Text: starts[i].Format(layout), Minor: i/every%2 == 1,
		})
	}
}

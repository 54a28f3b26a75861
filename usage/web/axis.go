package web

import (
	"math"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

// axis returns the top of an axis that begins at 0, and its ticks: up to five round
// numbers.
func (a *amount) axis(highest float64) (top float64, ticks []float64) {
	if highest <= 0 {
		return 1, []float64{0}
	}
	step := math.Pow(10, math.Floor(math.Log10(highest/2)))
	if a.whole {
		step = max(1, step)
	}
	for _, factor := range []float64{1, 2, 2.5, 5, 10} {
		if highest/(step*factor) <= 4 && !(a.whole && step*factor == 2.5) {
			step *= factor
			break
		}
	}
	count := math.Ceil(highest/step - 1e-9)
	for n := range int(count) + 1 {
		ticks = append(ticks, float64(n)*step)
	}
	return count * step, ticks
}

// tick formats an amount of an axis.
func (a *amount) tick(n float64) string {
	switch {
	case a.whole:
		return a.show(n)
	case n == 0:
		return "$0"
	case n >= 1000:
		return "$" + format.Short(n)
	case n < 0.01:
		return "$" + strconv.FormatFloat(n, 'g', 2, 64)
	case n < 10 && n != math.Trunc(n):
		return "$" + strconv.FormatFloat(n, 'f', 2, 64)
	default:
		return "$" + strconv.FormatFloat(n, 'f', -1, 64)
	}
}

// stepName names a step by its beginning.
func stepName(start time.Time, step usage.Step) string {
	switch step {
	case usage.Hour:
		return start.Format("15:04")
	case usage.Month:
		return start.Format("January 2006")
	case usage.Week:
		return start.Format("2 Jan 2006")
	default:
		return start.Format(weekdayFormat)
	}
}

// dates returns the labels below the bars: about 12 (4 on narrow screens), or 8 (3) if
// they are long.
func dates(starts []time.Time, step usage.Step) (all []tick) {
	layout, most, narrow := shortDay, 12, 4
	switch step {
	case usage.Hour:
		layout = "15:04"
	case usage.Month:
		layout, most, narrow = "Jan 2006", 8, 3
	case usage.Week:
		layout, most, narrow = "2 Jan 06", 8, 3
	}
	n := len(starts)
	every := 1
	for _, every = range []int{1, 2, 3, 7, 14, 28, 60, 120, 365} {
		if n/every <= most {
			break
		}
	}
	labels := (n + every - 1) / every
	major := (labels + narrow - 1) / narrow // every one of so many is shown on narrow screens
	// From the end, so that the present has a label.
	for i := (n - 1) % every; i < n; i += every {
		fromEnd := (n - 1 - i) / every
		all = append(all, tick{
			At: percent((float64(i) + 0.5) * 100 / float64(n)), Text: starts[i].Format(layout), Minor: fromEnd%max(1, major) != 0,
		})
	}
	return all
}

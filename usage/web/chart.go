package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A chart has a bar for each step of the selected period, divided into series. Across,
// everything is in percent of the width, so that it fits every screen; upwards, it is
// in pixels.
type chart struct {
	Label   string // project or model
	Title   string
	About   string // text alternative
	Head    string // of the column of the table with the beginning of the steps
	Series  []*series
	Priced  bool // the series have a cost
	Bars    []bar
	Ticks   []tick
	Dates   []tick
	Compact bool   // the bars are too narrow for gaps
	Toggle  toggle // of the table
}

// A bar is one step.
type bar struct {
	Name      string // the beginning of the step
	URL       string // that selects the step; empty if it is an hour
	Title     string
	X, Width  string
	Segments  []segment // from the top down
	Cells     []string  // amounts of all series
	Total     string
	HasAmount bool
}

// A segment is the part of a bar that belongs to a series. It is drawn down to the
// bottom; the segments below are drawn over it.
type segment struct {
	Class, Y string
}

// A tick is a label of an axis.
type tick struct {
	At, Text string
	Minor    bool // left out on narrow screens
}

// The height of the plot, in pixels, with some room above.
const (
	plotTop    = 10
	plotHeight = 180
)

// An amount is the number that charts show: cost or tokens.
type amount struct {
	noun  string
	value func(*usage.Values) float64
	show  func(float64) string
	whole bool // it counts something
}

// newChart returns the chart of a usage by the label of a parameter. known are the
// values of the labels in the whole record, by falling usage.
func newChart(u *usage.Usage, s selection, parameter string, known map[string][]string, a amount) *chart {
	c := &chart{Label: parameter, Title: fmt.Sprintf("%s by %s", a.noun, parameter), Head: heads[u.Step], Priced: isPriced(u)}
	index := c.addSeries(u, known[parameter], a, func(name string) string { return s.with(parameter, name).URL() })
	if n := len(c.Series); n > 0 && c.Series[n-1].Class == otherClass {
		c.Series[n-1].URL = parameter + "s" + s.URL()
	}
	c.Toggle = s.toggle(parameter, asTable(c.Title))
	starts := s.period.steps(u.Step, u.Recorded)
	highest := c.draw(u, index, a, starts, 0, func(start time.Time) string { return stepName(start, u.Step) })
	for i, start := range starts {
		c.Bars[i].URL = s.stepURL(start, u.Step)
	}
	c.Dates = dates(starts, u.Step)
	c.About = fmt.Sprintf("Stacked bars, one for each %s %s. The highest is %s.", u.Step, dayRange(starts[0], s.period.last()), a.show(highest))
	return c
}

// addSeries adds the series of a usage by one label, with the URLs of their names, and
// returns their indexes by name. known is the same as for newChart.
func (c *chart) addSeries(u *usage.Usage, known []string, a amount, urlOf func(name string) string) (index map[string]int) {
	names, totals := ranked(u, a.value)
	shownNames := names[:min(len(names), maxSeries)]
	classes := colors(shownNames, known)
	index = make(map[string]int)
	all := max(a.value(&u.Total), 1e-12)
	for i, name := range shownNames {
		index[name] = i
		values := totals[name]
		c.Series = append(c.Series, &series{
			Name: shown(name), Class: "s" + strconv.Itoa(classes[name]+1), URL: urlOf(name),
			Values: *values, Share: a.value(values) / all,
		})
	}
	if rest := names[len(shownNames):]; len(rest) > 0 {
		others := &series{Name: format.Count(len(rest), "other", "others"), Class: otherClass}
		for _, name := range rest {
			index[name] = maxSeries
			others.Values.Add(totals[name])
		}
		others.Share = a.value(&others.Values) / all
		c.Series = append(c.Series, others)
	}
	for _, s := range c.Series {
		s.Cost = costText(costOf(u, &s.Values))
	}
	return index
}

// otherClass is the class of the color of further series.
const otherClass = "s0"

// asTable returns the text of the link that opens the table of a chart.
func asTable(title string) string { return title + " as a table" }

// stack returns the amounts of all series by the beginning of the step, in seconds
// since the epoch, and the highest sum.
func (c *chart) stack(u *usage.Usage, index map[string]int, a amount) (amounts map[int64][]float64, highest float64) {
	amounts = make(map[int64][]float64)
	for i := range u.Rows {
		r := &u.Rows[i]
		at := r.Start.Unix()
		if amounts[at] == nil {
			amounts[at] = make([]float64, len(c.Series))
		}
		amounts[at][index[r.Labels[0]]] += a.value(&r.Values)
	}
	for _, parts := range amounts {
		highest = max(highest, total(parts))
	}
	return amounts, highest
}

// heads are the heads of the first column of a table, by step.
var heads = map[usage.Step]string{usage.Hour: "Hour", usage.Day: "Day", usage.Week: "Week of", usage.Month: "Month"}

// draw adds the bars and the vertical axis, with room for some number of bars. It
// returns the highest amount.
func (c *chart) draw(u *usage.Usage, index map[string]int, a amount, starts []time.Time, room int, name func(start time.Time) string) (highest float64) {
	amounts, highest := c.stack(u, index, a)
	top, ticks := a.axis(highest)
	for _, t := range ticks {
		c.Ticks = append(c.Ticks, tick{At: pixels(plotTop + plotHeight*(1-t/top)), Text: a.tick(t)})
	}
	n := max(len(starts), room)
	c.Compact = n > 60
	for i, start := range starts {
		c.addBar(i, n, name(start), amounts[start.Unix()], top, a)
	}
	return highest
}

// dayRange names the days from one time to another.
func dayRange(from, to time.Time) string {
	first, last := from.Format(dayFormat), to.Format(dayFormat)
	if first == last {
		return "on " + first
	}
	return "from " + first + " to " + last
}

func (c *chart) addBar(i, n int, name string, amounts []float64, top float64, a amount) {
	const gap = 0.28 // of the width of a step
	width := 100 / float64(n)
	b := bar{Name: name, X: percent((float64(i) + gap/2) * width), Width: percent((1 - gap) * width)}
	if c.Compact {
		b.X, b.Width = percent((float64(i)+0.08)*width), percent(0.84*width)
	}
	sum := total(amounts)
	b.Total, b.HasAmount = a.show(sum), sum > 0
	title := []string{b.Name + ": " + b.Total}
	y := float64(plotTop + plotHeight)
	for j, part := range amounts {
		b.Cells = append(b.Cells, cell(part, a))
		if part <= 0 {
			continue
		}
		y -= plotHeight * part / top
		b.Segments = append(b.Segments, segment{c.Series[j].Class, pixels(y)})
		title = append(title, c.Series[j].Name+": "+a.show(part))
	}
	slices.Reverse(b.Segments)
	const maxLines = 5
	if len(title) > maxLines {
		title = append(title[:maxLines], "…")
	}
	b.Title = strings.Join(title, "\n")
	c.Bars = append(c.Bars, b)
}

// cell returns the text of a cell of a table.
func cell(amount float64, a amount) string {
	if amount == 0 {
		return "–"
	}
	return a.show(amount)
}

func total(amounts []float64) (sum float64) {
	for _, n := range amounts {
		sum += n
	}
	return sum
}

func pixels(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

// percent returns a length in percent of the width.
func percent(n float64) string { return strconv.FormatFloat(n, 'f', 2, 64) + "%" }

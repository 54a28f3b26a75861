package usage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/counters"
)

// A calculation collects the rows of a Usage.
type calculation struct {
	Usage
	periods periods
	groups  map[string]*group // by the values of Query.By
	count   int               // rows
}

// A group has the rows with the same values of Query.By, by the beginning of their
// period.
type group struct {
	labels []string
	rows   map[int64]*Row
}

func newCalculation(u Usage) *calculation {
	c := &calculation{Usage: u, groups: make(map[string]*group)}
	c.periods.query = &c.Query
	return c
}

// finish sorts the rows and adds them up.
func (c *calculation) finish() Usage {
	slices.Sort(c.Measures)
	c.Rows = make([]Row, 0, c.count)
	for key, g := range c.groups {
		for _, row := range g.rows {
			c.Rows = append(c.Rows, *row)
			c.Total.Add(&row.Values)
		}
		delete(c.groups, key) // so that its rows can be freed
	}
	slices.SortStableFunc(c.Rows, func(a, b Row) int {
		return cmp.Or(a.Start.Compare(b.Start), slices.Compare(a.Labels, b.Labels))
	})
	return c.Usage
}

// A part is the part of a calculation that adds up the series of one family.
type part struct {
	*calculation
	selector *selector
	measures []Measure
	selected []Measure // by the last call of selects
}

// addFamily adds the series of a family to the measures that it has.
func addFamily(f *counters.FamilyHistory, all ...*calculation) error {
	var parts []part
	for _, c := range all {
		measures := c.selectMeasures(f.Family.Name)
		if len(measures) == 0 {
			continue
		}
		if s, ok := newSelector(&c.Query, f); ok {
			c.Measures = append(c.Measures, measures...)
			parts = append(parts, part{c, s, measures, nil})
		}
	}
	if len(parts) == 0 {
		return nil
	}
	var increases []counters.Increase
	for i := range f.Series {
		decoded, undated := false, counters.Increase{}
		for j := range parts {
			p := &parts[j]
			labels, measures := p.selects(f.Family, &f.Series[i])
			if len(measures) == 0 {
				continue
			}
			if !decoded {
				increases = slices.AppendSeq(increases[:0], f.Series[i].All())
				decoded, undated = true, undatedOf(&f.Series[i], increases)
			}
			p.Undated.add(measures, &undated)
			if err := p.addIncreases(p.selectTime(increases), p.group(labels), measures); err != nil {
				return err
			}
		}
	}
	return nil
}

// selects returns the labels of the group of a series, and its measures; none if the
// query does not select it. They are valid until the next call.
func (p *part) selects(f *counters.Family, s *counters.SeriesHistory) (labels []string, measures []Measure) {
	labels, ok := p.selector.group(s)
	if !ok {
		return nil, nil
	}
	p.selected = p.selected[:0]
	for _, m := range p.measures {
		if definitions[m].has(f, s) {
			p.selected = append(p.selected, m)
		}
	}
	return labels, p.selected
}

// undatedOf returns what a series grew by at unknown times.
func undatedOf(s *counters.SeriesHistory, increases []counters.Increase) counters.Increase {
	undated := counters.Increase{Value: s.Value, Sum: s.Sum}
	for i := range increases {
		undated.Value, undated.Sum = undated.Value-increases[i].Value, undated.Sum-increases[i].Sum
	}
	return undated
}

// selectTime returns the increases in the time of the query.
func (c *calculation) selectTime(increases []counters.Increase) []counters.Increase {
	since, until := c.limits()
	byStart := func(i counters.Increase, start int64) int { return cmp.Compare(i.Start, start) }
	first, _ := slices.BinarySearchFunc(increases, since, byStart)
	end, _ := slices.BinarySearchFunc(increases, until, byStart)
	return increases[first:max(first, end)]
}

// addIncreases adds increases to the rows of a group.
func (c *calculation) addIncreases(increases []counters.Increase, g *group, measures []Measure) error {
	var (
		p   period
		row *Row
	)
	for i := range increases {
		if start := increases[i].Start; start >= p.end {
			p = c.periods.containing(start)
			if row = c.row(g, p); row == nil {
				return fmt.Errorf("more than %d rows: use a shorter time, a longer step or fewer labels", maxRows)
			}
		}
		row.Values.add(measures, &increases[i])
	}
	return nil
}

// limits returns the limits of the time in milliseconds since the epoch.
func (c *calculation) limits() (since, until int64) {
	until = maxTime.UnixMilli()
	if !c.Since.IsZero() {
		since = c.Since.UnixMilli()
	}
	if !c.Until.IsZero() {
		until = c.Until.UnixMilli()
	}
	return since, until
}

// group returns the group with the values of Query.By.
func (c *calculation) group(labels []string) *group {
	key := strings.Join(labels, "\x00")
	g := c.groups[key]
	if g == nil {
		g = &group{append([]string{}, labels...), make(map[int64]*Row)}
		c.groups[key] = g
	}
	return g
}

// row returns the row of a period, or nil if there are too many rows.
func (c *calculation) row(g *group, p period) *Row {
	row := g.rows[p.begin]
	if row == nil && c.count < maxRows {
		row = &Row{Start: c.periods.start(p), Labels: g.labels}
		g.rows[p.begin] = row
		c.count++
	}
	return row
}

// add adds an increase to some measures.
func (v *Values) add(measures []Measure, i *counters.Increase) {
	for _, m := range measures {
		if definitions[m].sum {
			v[m] = counters.SaturatingAdd(v[m], i.Sum)
		} else {
			v[m] = counters.SaturatingAdd(v[m], i.Value)
		}
	}
}

package report

import (
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage"
)

// Options are how a table is written.
type Options struct {
	Width int // of the terminal, in characters
	Color bool
}

// Write writes a usage as a table: a title, a row with a bar for each row of the usage,
// the total, and notes on usage that is missing in it.
func Write(w io.Writer, u *usage.Usage, o Options) error {
	p := &printer{w: w, width: o.Width, color: o.Color}
	p.paragraph(bold, title(u))
	p.paragraph(dim, subtitle(u))
	p.line(plain, "")
	if len(u.Rows) == 0 {
		p.paragraph(plain, "No usage in this time.")
	} else {
		t := newTable(u, long)
		l := t.layout(o.Width)
		if len(l.columns) < len(t.heads) || l.bar < roomyBar {
			t = newTable(u, short)
			l = t.layout(o.Width)
		}
		t.draw(p, l)
	}
	for _, note := range notes(u) {
		p.line(plain, "")
		p.paragraph(plain, note)
	}
	return p.err
}

// newTable returns the table of a usage. Rows of a period are sorted by the number that
// bars show.
func newTable(u *usage.Usage, s style) *table {
	t := &table{time: -1}
	t.addTexts(u)
	columns := columnsFor(u.Measures)
	for _, c := range columns {
		t.heads = append(t.heads, c.head)
	}
	number := primary(u.Measures)
	rows := slices.Clone(u.Rows)
	slices.SortStableFunc(rows, func(a, b usage.Row) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(number(&b.Values), number(&a.Values)))
	})
	largest := uint64(1)
	for i := range rows {
		largest = max(largest, number(&rows[i].Values))
	}
	line := func(labels []string, part usage.Row) []string {
		r := newRow(u, part)
		for _, c := range columns {
			labels = append(labels, c.format(s, r))
		}
		return labels
	}
	for i := range rows {
		t.rows = append(t.rows, line(labels(u, &rows[i]), rows[i]))
		t.bars = append(t.bars, float64(number(&rows[i].Values))/float64(largest))
	}
	if len(rows) > 1 {
		total := make([]string, t.texts)
		total[0] = "total"
		t.total = line(total, usage.Row{Values: u.Total})
	}
	return t
}

// addTexts adds the heads of the texts at the beginning of a row, see labels.
func (t *table) addTexts(u *usage.Usage) {
	if u.Step != usage.Total {
		t.time, t.heads = 0, append(t.heads, headOf(u.Step))
	}
	for _, name := range u.By {
		t.heads = append(t.heads, noun(name))
	}
	if len(t.heads) == 0 {
		t.heads = append(t.heads, "")
	}
	if t.texts = len(t.heads); isOfSessions(u) {
		t.time = t.texts - 1
	}
}

func headOf(s usage.Step) string {
	switch s.Kind() {
	case usage.Week:
		return "week of"
	case usage.FiveMinutes:
		return "time"
	}
	if s.Kind() != s {
		return "month of"
	}
	return string(s)
}

// labels returns the text at the beginning of a row.
func labels(u *usage.Usage, r *usage.Row) []string {
	var texts []string
	if u.Step != usage.Total {
		texts = append(texts, r.Start.In(u.Location).Format(layoutOf(u.Step)))
	}
	for _, value := range r.Labels {
		texts = append(texts, cmp.Or(terminal.Printable(value), none))
	}
	if len(texts) == 0 {
		texts = append(texts, "total")
	}
	return texts
}

func layoutOf(s usage.Step) string {
	switch s { // a month that begins on another day has that day
	case usage.Month:
		return "2006-01"
	case usage.Hour, usage.FiveMinutes:
		return "2006-01-02 15:04"
	}
	return time.DateOnly
}

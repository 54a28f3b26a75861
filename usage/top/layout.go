package top

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
)

// A look is the appearance of a text.
type look int

const (
	plain look = iota
	strong
	faint
	header
	sortedBy // the header of the column that sorts
	good
	warning
	alarm
)

// A line is a line of the screen: texts that follow each other.
type line []span

// A span is a text in a look. It has no control characters.
type span struct {
	text string
	look look
}

// String returns the text without looks.
func (l line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// clip returns the part of a line that fits a width.
func (l line) clip(width int) line {
	for i, s := range l {
		if width == 0 {
			return l[:i]
		}
		if terminal.Width(s.text) > width {
			return append(slices.Clone(l[:i]), span{terminal.Left(s.text, width), s.look})
		}
		width -= terminal.Width(s.text)
	}
	return l
}

// A table is rows in columns that fit a width.
type table struct {
	columns []column
	widths  []int
}

const gap = 1 // between columns

// newTable returns the columns that fit a width. 0 is any width.
func newTable(rows []row, width int) table {
	t := table{columns: slices.Clone(columns)}
	wanted := t.measure(rows)
	for width > 0 && t.width() > width && len(t.columns) > 1 {
		last := slices.MaxFunc(t.columns, func(a, b column) int { return cmp.Compare(a.rank, b.rank) }).rank
		for i, c := range slices.Backward(t.columns) {
			if c.rank == last {
				t.columns, t.widths = slices.Delete(t.columns, i, i+1), slices.Delete(t.widths, i, i+1)
				wanted = slices.Delete(wanted, i, i+1)
			}
		}
	}
	t.widen(wanted, width)
	return t
}

// measure sets the widths that the columns need, and returns the widths that they can
// use.
func (t *table) measure(rows []row) (wanted []int) {
	for _, c := range t.columns {
		widest := c.min
		for i := range rows {
			widest = max(widest, terminal.Width(c.text(&rows[i])))
		}
		needed := c.min
		if c.max == 0 {
			needed = widest
		} else {
			widest = min(widest, c.max)
		}
		t.widths, wanted = append(t.widths, needed), append(wanted, widest)
	}
	return wanted
}

// width returns the width of a line.
func (t *table) width() int {
	n := gap * (len(t.widths) - 1)
	for _, w := range t.widths {
		n += w
	}
	return n
}

// widen gives the columns, from the left, the width that they can use.
func (t *table) widen(wanted []int, width int) {
	for i := range t.widths {
		more := wanted[i] - t.widths[i]
		if width > 0 {
			more = min(more, width-t.width())
		}
		t.widths[i] += max(0, more)
	}
}

// header returns the titles of the columns.
func (t *table) header(by *order) line {
	var l line
	for i, c := range t.columns {
		look := header
		if c.order == by.name {
			look = sortedBy
		}
		l = t.add(l, i, c.title, look, header)
	}
	return l
}

func (t *table) line(r *row) line {
	var l line
	for i, c := range t.columns {
		look := plain
		if c.look != nil {
			look = c.look(r)
		}
		l = t.add(l, i, c.text(r), look, plain)
	}
	return l
}

// add adds the text of a column. Texts are on the left, numbers on the right.
func (t *table) add(l line, i int, text string, look, between look) line {
	if i > 0 {
		l = append(l, span{strings.Repeat(" ", gap), between})
	}
	if t.columns[i].max > 0 {
		return append(l, span{terminal.Left(text, t.widths[i]), look})
	}
	return append(l, span{terminal.Right(text, t.widths[i]), look})
}

package report

import (
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
)

// A table has text on the left, a number, a bar, and more numbers.
type table struct {
	heads []string // of labels, then of numbers
	texts int      // columns with labels, on the left
	time  int      // the one of these with times; -1 for none
	rows  [][]string
	bars  []float64 // of each row, from 0 to 1; negative for none
	total []string  // nil for none
}

const (
	gap               = 2 // between columns
	minBar, maxBar    = 6, 40
	roomyBar          = 16
	minText, wideText = 12, 40
)

// widths returns the widths of the columns, at least the widths of the heads.
func (t *table) widths() []int {
	widths := make([]int, len(t.heads))
	for _, row := range append([][]string{t.total}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], terminal.Width(cell))
		}
	}
	for i, head := range t.heads {
		for line := range strings.SplitSeq(head, "\n") {
			widths[i] = max(widths[i], terminal.Width(line))
		}
	}
	return widths
}

// A layout is the widths of the columns of a table, as many as fit.
type layout struct {
	columns []int
	bar     int // 0 for none
}

// width returns the width of the columns, without the bar.
func (l *layout) width() int {
	n := gap * (len(l.columns) - 1)
	for _, column := range l.columns {
		n += column
	}
	return n
}

// layout fits a table into a width. It first shortens texts as far as different texts
// stay different, then leaves out the bars, then the last numbers, and finally shortens
// all texts.
func (t *table) layout(width int) layout {
	l := layout{columns: t.widths()}
	shorten := func(i, to, room int) {
		l.columns[i] = max(min(l.columns[i], to), l.columns[i]-max(0, l.width()+room-width))
	}
	for i := range t.texts {
		if i != t.time {
			apart := t.apart(i, l.columns[i])
			l.columns[i] = min(l.columns[i], max(apart, wideText))
			shorten(i, apart, gap+minBar)
		}
	}
	if spare := width - l.width() - gap; spare >= minBar {
		l.bar = min(spare, maxBar)
	}
	for l.width() > width && len(l.columns) > t.texts+1 {
		l.columns = l.columns[:len(l.columns)-1]
	}
	for i := t.texts - 1; i >= 0; i-- {
		shorten(i, minText, 0)
	}
	return l
}

// apart returns the smallest width from minText up to a limit at which texts of a
// column that differ are not cut to the same text.
func (t *table) apart(column, limit int) int {
	texts := make(map[string]bool)
	for _, row := range t.rows {
		texts[row[column]] = true
	}
	width := min(minText, limit)
	for ; width < limit; width++ {
		cut := make(map[string]bool, len(texts))
		for text := range texts {
			cut[terminal.Left(text, width)] = true
		}
		if len(cut) == len(texts) {
			break
		}
	}
	return width
}

func (t *table) draw(p *printer, l layout) {
	var head, second []string
	for _, text := range t.heads {
		above, below, two := strings.Cut(text, "\n")
		if !two {
			above, below = "", text
		}
		head, second = append(head, above), append(second, below)
	}
	if strings.Join(head[:len(l.columns)], "") != "" {
		p.line(bold, t.line(l, head, -1, p))
	}
	p.line(bold, t.line(l, second, -1, p))
	length := l.width()
	if l.bar > 0 {
		length += gap + l.bar
	}
	rule := strings.Repeat("─", length)
	p.line(dim, rule)
	for i, row := range t.rows {
		p.line(plain, t.line(l, row, t.bars[i], p))
	}
	if t.total != nil {
		p.line(dim, rule)
		p.line(bold, t.line(l, t.total, -1, p))
	}
}

// line returns a row. A bar is after the first number.
func (t *table) line(l layout, cells []string, bar float64, p *printer) string {
	var b strings.Builder
	for i, width := range l.columns {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		if i < t.texts {
			b.WriteString(terminal.Left(cells[i], width))
			continue
		}
		b.WriteString(terminal.Right(cells[i], width))
		if i == t.texts && l.bar > 0 {
			text := terminal.Bar(bar, l.bar)
			b.WriteString(strings.Repeat(" ", gap) + p.style(cyan, text) + strings.Repeat(" ", l.bar-terminal.Width(text)))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

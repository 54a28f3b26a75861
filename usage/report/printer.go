package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
)

// A look is the parameter of an ANSI escape sequence.
type look string

const (
	plain look = ""
	bold  look = "1"
	dim   look = "2"
	cyan  look = "36"
)

// A printer writes lines, and keeps the first error.
type printer struct {
	w     io.Writer
	width int
	color bool
	err   error
}

// style returns a text with a look, if colors are enabled.
func (p *printer) style(l look, text string) string {
	if !p.color || l == plain || text == "" {
		return text
	}
	return "\x1b[" + string(l) + "m" + text + "\x1b[0m"
}

func (p *printer) line(l look, text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, p.style(l, text))
	}
}

// paragraph writes a text in lines that fit.
func (p *printer) paragraph(l look, text string) {
	var line string
	for word := range strings.FieldsSeq(text) {
		if line != "" && terminal.Width(line)+1+terminal.Width(word) > p.width {
			p.line(l, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	p.line(l, line)
}

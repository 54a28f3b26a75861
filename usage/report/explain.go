package report

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/explain"
)

// WriteExplanation writes an explanation as text.
func WriteExplanation(w io.Writer, e *api.Explanation, zone *time.Location, o Options) error {
	width := o.Width
	if width <= 0 || width > maxTextWidth {
		width = maxTextWidth
	}
	var b strings.Builder
	if e.CostUSD != nil {
		fmt.Fprintf(&b, "%s%s\n", format.Cost{USD: *e.CostUSD, Unpriced: e.Unpriced > 0}.Text(format.ExactUSD, "no price"), rangeText(e, zone))
		writeFacts(&b, e.Facts, "", width)
		if len(e.Sessions) > 0 {
			b.WriteString("\nThe most expensive sessions:\n")
		}
	}
	for i := range e.Sessions {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		writeSession(&b, &e.Sessions[i], zone, width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const (
	maxTextWidth = 100
	minTextWidth = 20
)

func rangeText(e *api.Explanation, zone *time.Location) (text string) {
	const layout = "2006-01-02 15:04"
	if !e.Since.IsZero() {
		text += " since " + e.Since.In(zone).Format(layout)
	}
	if !e.Until.IsZero() {
		text += " until " + e.Until.In(zone).Format(layout)
	}
	return text
}

func writeSession(b *strings.Builder, s *api.ExplainedSession, zone *time.Location, width int) {
	id := []rune(terminal.Printable(s.ID))
	head := []string{string(id[:min(len(id), 8)]), terminal.Printable(s.Project)}
	if s.CostUSD != nil {
		cost := format.Cost{USD: *s.CostUSD, Unpriced: s.UnpricedTokens > 0}.Text(format.ExactUSD, "no price")
		if e := s.Explained; e != nil && e.CostUSD-*s.CostUSD >= 0.01 { // the rest is of another time
			cost += " of " + format.ExactUSD(e.CostUSD)
		}
		head = append([]string{cost}, head...)
	}
	if !s.First.IsZero() {
		head = append(head, s.First.In(zone).Format("2006-01-02 15:04"))
	}
	if e := s.Explained; e != nil && e.PeakContext > 0 {
		head = append(head, fmt.Sprintf("context up to %s tokens, mean %s", format.Short(float64(e.PeakContext)), format.Short(float64(e.MeanContext))))
	}
	fmt.Fprintln(b, strings.Join(head, "  "))
	switch {
	case s.Missing != "":
		writeWrapped(b, "No explanation: "+s.Missing+".", "  ", width)
	case s.Explained != nil:
		writeFacts(b, s.Explained.Facts, "  ", width)
	}
}

// writeFacts writes facts as a list, each with what to do below.
func writeFacts(b *strings.Builder, facts []explain.Fact, indent string, width int) {
	for _, f := range facts {
		writeWrapped(b, "- "+terminal.Printable(f.Text), indent, width)
		if f.Advice != "" {
			writeWrapped(b, terminal.Printable(f.Advice), indent+"  ", width)
		}
	}
	if len(facts) == 0 {
		writeWrapped(b, "Nothing that is worth a cent.", indent, width)
	}
}

// writeWrapped writes words in lines of a width. Lines after the first one of a list
// item are indented like its text.
func writeWrapped(b *strings.Builder, text, indent string, width int) {
	width = max(width, minTextWidth)
	rest := indent
	if strings.HasPrefix(text, "- ") {
		rest += "  "
	}
	line := indent
	for word := range strings.FieldsSeq(text) {
		switch n := utf8.RuneCountInString(line) + 1 + utf8.RuneCountInString(word); {
		case strings.TrimSpace(line) == "":
			line += word
		case n > width:
			b.WriteString(line + "\n")
			line = rest + word
		default:
			line += " " + word
		}
	}
	b.WriteString(line + "\n")
}

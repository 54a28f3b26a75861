package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage"
)

// cell returns a label as text that a spreadsheet does not take for a formula.
func cell(label string) string {
	if isFormula(label) {
		return "'" + terminal.Printable(label)
	}
	return terminal.Printable(label)
}

// isFormula reports whether a spreadsheet may take a text for a formula: it begins with
// = + - or @, also in another width or after characters that cannot be seen.
func isFormula(text string) bool {
	begin := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) })
	r, _ := utf8.DecodeRuneInString(norm.NFKD.String(begin[:min(len(begin), utf8.UTFMax)]))
	return strings.ContainsRune("=+-\u2212@", r) && r != utf8.RuneError
}

// WriteCSV writes a usage as CSV with a header. Numbers are plain, in the units of
// their names. Labels are printable, and those like formulas begin with an apostrophe.
// After the id of a model is its name, unless that has a column of its own.
func WriteCSV(w io.Writer, u *usage.Usage) error {
	out := csv.NewWriter(w)
	named := usage.ModelLabel // the column before the names
	if slices.Contains(u.By, usage.ModelNameLabel) {
		named = ""
	}
	var head []string
	if u.Step != usage.Total {
		head = append(head, "start")
	}
	for _, name := range u.By {
		if head = append(head, name); name == named {
			head = append(head, usage.ModelNameLabel)
		}
	}
	for _, m := range u.Measures {
		head = append(head, m.String())
	}
	_ = out.Write(head) // see Error
	for i := range u.Rows {
		r := &u.Rows[i]
		var cells []string
		if u.Step != usage.Total {
			cells = append(cells, r.Start.In(u.Location).Format(time.RFC3339))
		}
		for j, value := range r.Labels {
			if cells = append(cells, cell(value)); u.By[j] == named {
				cells = append(cells, cell(usage.ModelName(value)))
			}
		}
		for _, m := range u.Measures {
			cells = append(cells, strconv.FormatFloat(r.Values.In(m), 'f', -1, 64))
		}
		_ = out.Write(cells)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

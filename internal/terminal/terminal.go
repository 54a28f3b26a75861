// Package terminal fits text into the columns of a terminal.
package terminal

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// terminal measures text: characters of ambiguous width are narrow, as in nearly all
// terminals.
var terminal = runewidth.Condition{StrictEmojiNeutral: true}

// Width returns the number of columns that a text takes.
func Width(s string) int { return terminal.StringWidth(s) }

// Left returns a text in a width: cut, or with spaces behind it.
func Left(s string, width int) string {
	return terminal.FillRight(terminal.Truncate(s, width, "…"), width)
}

// Right returns a text in a width: cut, or with spaces before it.
func Right(s string, width int) string {
	return terminal.FillLeft(terminal.Truncate(s, width, "…"), width)
}

// Bar returns a bar of up to width characters for a share from 0 to 1. Everything above
// 0 is visible.
func Bar(share float64, width int) string {
	if share <= 0 {
		return ""
	}
	eighths := max(1, int(min(share, 1)*float64(8*width)+0.5))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

// Printable returns a text in which control characters, and others without an
// appearance, are escaped.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// Package terminal fits text into the columns of a terminal, and escapes characters
// that have no appearance there.
package terminal

import (
	"strings"

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

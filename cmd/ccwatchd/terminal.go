package main

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

const (
	defaultWidth = 80 // if the output is not a terminal
	minWidth     = 20
)

// isTerminal reports whether a writer is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// terminalWidth returns the number of columns of a terminal.
func terminalWidth(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return max(width, minWidth)
		}
	}
	return defaultWidth
}

// usesColor reports whether to write colors: to terminals with color support, unless
// $NO_COLOR is set, see https://no-color.org.
func (c *command) usesColor(w io.Writer) bool {
	if !isTerminal(w) || c.env("NO_COLOR") != "" || c.env("TERM") == "dumb" {
		return false
	}
	return runtime.GOOS != "windows" || c.env("WT_SESSION") != "" // the old Windows console lacks colors
}

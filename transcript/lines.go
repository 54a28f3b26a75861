package transcript

import (
	"bytes"
	"unicode/utf8"
)

// A lineCounter counts the lines of a text. Lines end at every line separator of
// Unicode, and at the control characters that separate files, groups and records.
type lineCounter struct {
	lines    uint64
	partial  bool // the last line is not terminated
	previous rune
}

// countLines counts the lines of the text of a string, given without its quotes,
// including an unterminated last line.
func countLines(s []byte) uint64 {
	var c lineCounter
	for len(s) > 0 {
		n := bytes.IndexByte(s, '\\')
		if n < 0 {
			n = len(s)
		}
		c.addUnescaped(s[:n])
		if s = s[n:]; len(s) > 0 {
			r, size := unescape(s)
			c.add(r)
			s = s[size:]
		}
	}
	if c.partial {
		c.lines++
	}
	return c.lines
}

// addUnescaped adds a part of a string without escapes. All separators in ASCII are
// control characters.
func (c *lineCounter) addUnescaped(s []byte) {
	if len(s) == 0 {
		return
	}
	if control, high := survey(s); !control && !high {
		c.previous, c.partial = 0, true
		return
	}
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		c.add(r)
		s = s[size:]
	}
}

func (c *lineCounter) add(r rune) {
	switch r {
	case '\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		if r != '\n' || c.previous != '\r' {
			c.lines++
		}
		c.partial = false
	default:
		c.partial = true
	}
	c.previous = r
}

package corpus

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A text is a supply of text of one kind, JSON-escaped. Generating it is slow, a piece
// of it costs no more than a copy.
type text []byte

const (
	supply         = 64 << 10 // bytes of each text
	escapedPercent = 25       // of the characters beyond ASCII
)

// newTexts returns the supplies by kind.
func newTexts(r rng, f *format) map[string]text {
	all := make(map[string]text)
	for _, kind := range slices.Sorted(maps.Keys(f.Texts)) {
		var b []byte
		for len(b) < supply {
			line := placeholder.ReplaceAllStringFunc(pick(r, f.Texts[kind]...), func(s string) string { return f.expand(r, s) })
			b = appendEscaped(b, line, r, escapedPercent)
		}
		all[kind] = b
	}
	return all
}

// cut returns the next place from i on, forwards or backwards, at which the text can be
// cut: after a space, a plus or a line end, never within an escape or a character.
func (t text) cut(i, step int) int {
	for ; i > 1 && i < len(t); i += step {
		if c := t[i-1]; c == ' ' || c == '+' || c == 'n' && t[i-2] == '\\' {
			return i
		}
	}
	return max(0, min(i, len(t)))
}

// appendTo appends about size bytes of the text: at least one word, and not more than
// size unless that word is longer.
func (t text) appendTo(b []byte, r rng, size int) []byte {
	for {
		from := t.cut(3+r.IntN(len(t)/2), 1)
		to := t.cut(min(from+size, len(t)-1), -1)
		if to <= from {
			to = t.cut(from+1, 1)
		}
		b = append(b, t[from:to]...)
		if size -= to - from; size < 64 {
			return b
		}
	}
}

// appendEscaped appends the content of a JSON string. A percentage of the characters
// beyond ASCII is escaped.
func appendEscaped(b []byte, s string, r rng, ascii float64) []byte {
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ' || c >= utf8.RuneSelf && r.chance(ascii):
			for _, unit := range utf16.Encode([]rune{c}) {
				b = fmt.Appendf(b, `\u%04x`, unit)
			}
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return b
}

var placeholder = regexp.MustCompile(`%.`)

// expand replaces a letter after % in a line of a text: w is a word, W a capitalized
// one, i and I are identifiers, n is a number, b are binary data, p a path.
func (f *format) expand(r rng, s string) string {
	switch s {
	case "%w":
		return pick(r, f.Words...)
	case "%i":
		return pick(r, f.Nouns...) + f.expand(r, "%I")
	case "%W":
		s = pick(r, f.Words...)
		return strings.ToUpper(s[:1]) + s[1:]
	case "%I":
		s = pick(r, f.Nouns...)
		return strings.ToUpper(s[:1]) + s[1:]
	case "%n":
		return strconv.Itoa(r.between(1, 400))
	case "%b":
		return r.digits(base62Digits, 15)
	case "%p":
		return f.filePath(r)
	}
	return s[1:]
}

// filePath draws the path of a file in a project.
func (f *format) filePath(r rng) string {
	return pick(r, f.Folders...) + "/" + pick(r, f.Nouns...) + "_" + pick(r, f.Nouns...) + pick(r, f.Extensions...)
}

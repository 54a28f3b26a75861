package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Printable escapes control characters and other invisible characters in a text.
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

// A TextWriter writes lines as Printable returns them. Each call of Write has whole
// characters.
type TextWriter struct{ To io.Writer }

// Write implements io.Writer.
func (w TextWriter) Write(b []byte) (int, error) {
	var text strings.Builder
	for line := range strings.Lines(string(b)) {
		content, isWhole := strings.CutSuffix(line, "\n")
		if text.WriteString(Printable(content)); isWhole {
			text.WriteByte('\n')
		}
	}
	return written(b, w.To, []byte(text.String()))
}

// A JSONWriter escapes control characters and other invisible characters in JSON,
// without changing its values. Each call of Write must have whole characters.
type JSONWriter struct{ To io.Writer }

// Write implements io.Writer.
func (w JSONWriter) Write(b []byte) (int, error) {
	needsEscape := func(r rune) bool { return r >= 0x7f && !unicode.IsPrint(r) }
	if bytes.IndexFunc(b, needsEscape) < 0 {
		return w.To.Write(b)
	}
	escaped := make([]byte, 0, len(b)+64)
	for _, r := range string(b) {
		if !needsEscape(r) {
			escaped = append(escaped, string(r)...)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			escaped = fmt.Appendf(escaped, `\u%04x`, unit)
		}
	}
	return written(b, w.To, escaped)
}

// written writes b in another form. It returns the results of io.Writer for b.
func written(b []byte, to io.Writer, as []byte) (int, error) {
	if _, err := to.Write(as); err != nil {
		return 0, err
	}
	return len(b), nil
}

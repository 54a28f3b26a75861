package transcript

import (
	"strings"
	"unicode/utf8"
)

// maxLabel is how many bytes of a label's value are kept.
const maxLabel = 128

// Clean makes a value fit for a label: what is not UTF-8 becomes U+FFFD, the
// control characters U+0000 to U+001F and U+007F are removed, and what is then
// longer than 128 bytes is cut at a character. Clean(Clean(s)) is Clean(s).
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s { // ranging reads an invalid byte as U+FFFD
		if isControl(r) {
			continue
		}
		if b.Len()+utf8.RuneLen(r) > maxLabel {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isClean(s string) bool {
	return len(s) <= maxLabel && utf8.ValidString(s) && strings.IndexFunc(s, isControl) < 0
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

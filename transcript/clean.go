package transcript

import (
	"strings"
	"unicode/utf8"
)

// MaxLabel is the maximum length of a label value in bytes.
const MaxLabel = 128

// Clean returns s as a label value: invalid UTF-8 replaced with U+FFFD, the control
// characters U+0000 to U+001F and U+007F to U+009F removed, and the result truncated to
// at most 128 bytes at a character boundary. Clean is idempotent.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s { // an invalid byte is U+FFFD
		if isControl(r) {
			continue
		}
		if b.Len()+utf8.RuneLen(r) > MaxLabel {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isClean(s string) bool {
	return len(s) <= MaxLabel && utf8.ValidString(s) && strings.IndexFunc(s, isControl) < 0
}

func isControl(r rune) bool { return r < ' ' || 0x7f <= r && r <= 0x9f }

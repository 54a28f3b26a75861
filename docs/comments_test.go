package docs_test

import (
	"strings"
	"testing"
)

// Comments in Go files wrap at 88. Directives, code and long words are exempt.
func TestWidthOfComments(t *testing.T) {
	const width = 88
	eachFile(t, []string{".go"}, func(file, text string) {
		n := 0
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimSuffix(line, "\n")
			comment := strings.TrimLeft(line, "\t")
			if strings.HasPrefix(comment, "// ") && len([]rune(line)) > width && len(strings.Fields(comment)) > 2 {
				t.Errorf("%s:%d: comment of %d characters, want at most %d", file, n, len([]rune(line)), width)
			}
		}
	})
}

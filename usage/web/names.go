package web

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShown is the maximum number of characters of a name on the page.
const maxShown = 40

// maxMarks is the number of combining marks on a letter. More could cover other text.
const maxMarks = 2

// shown returns a name fit for display. Characters that are invisible, or that change
// the direction of the text around them, are replaced by their code points. Long names
// lose their middle.
func shown(name string) string {
	switch {
	case name == "":
		return "(none)"
	case strings.TrimSpace(name) == "":
		name = strings.ReplaceAll(name, " ", "‹0020›")
	}
	name = visible(name)
	if utf8.RuneCountInString(name) <= maxShown {
		return name
	}
	all := []rune(name)
	return string(all[:maxShown/2]) + "…" + string(all[len(all)-maxShown/2+1:])
}

// visible replaces the characters of a name that cannot be seen.
func visible(name string) string {
	var b strings.Builder
	marks := 0 // above and below the last letter
	for _, r := range name {
		if marks++; !unicode.Is(unicode.Mn, r) {
			marks = 0
		}
		if unicode.IsGraphic(r) && (r == ' ' || !unicode.IsSpace(r)) && !isBlank(r) && marks <= maxMarks {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "‹%04X›", r)
		}
	}
	return b.String()
}

// isBlank reports whether a graphic character cannot be seen: fillers of Hangul, an
// empty Braille pattern, and variation selectors except the emoji one.
func isBlank(r rune) bool {
	const emoji = '\ufe0f'
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800':
		return true
	}
	return r != emoji && unicode.Is(unicode.Variation_Selector, r)
}

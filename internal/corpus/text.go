package corpus

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A text is a supply of text of one kind, escaped already as it stands within a
// JSON string, and cut into pieces where that is possible without harm. Making
// one takes a while, taking a piece costs no more than copying it.
type text struct {
	bytes []byte
	cuts  []int // behind spaces and line ends, so never within an escape or a character
	lines []int // where lines begin
}

// texts are the kinds of text that transcripts are made of.
type texts struct {
	prose, code, numbered, output, listing, data, world text
	base64                                              string
}

// supply is how much there is of each kind.
const supply = 128 << 10

func newTexts(d dice) *texts {
	t := &texts{
		prose:   newText(d, proseTemplates, 0),
		code:    newText(d, codeTemplates, 0),
		output:  newText(d, outputTemplates, 0),
		listing: newText(d, listingTemplates, 0),
		data:    newText(d, dataTemplates, 0),
		world:   newText(d, worldTemplates, 25),
		base64:  d.digits("", base62Digits+"+/", supply),
	}
	t.numbered = t.code.withNumbers()
	return t
}

// newText fills a supply from templates; ascii is how many of a hundred
// characters beyond ASCII are written as \u escapes.
func newText(d dice, templates []string, ascii float64) text {
	var t text
	for len(t.bytes) < supply {
		t.bytes = appendEscaped(t.bytes, expand(d, pick(d, templates)), func() bool { return d.chance(ascii) })
	}
	t.index()
	return t
}

// index finds where the text may be cut.
func (t *text) index() {
	t.cuts, t.lines = []int{0}, []int{0}
	for i := 0; i < len(t.bytes); i++ {
		switch t.bytes[i] {
		case ' ':
			t.cuts = append(t.cuts, i+1)
		case '\\':
			i++
			if t.bytes[i] == 'n' {
				t.cuts = append(t.cuts, i+1)
				t.lines = append(t.lines, i+1)
			}
		}
	}
}

// withNumbers is the text as the Read tool shows it.
func (t *text) withNumbers() text {
	var n text
	for i := range len(t.lines) - 1 {
		number := strconv.Itoa(i%700 + 1)
		n.bytes = append(n.bytes, "      "[min(len(number), 6):]...)
		n.bytes = append(n.bytes, number+"→"...)
		n.bytes = append(n.bytes, t.bytes[t.lines[i]:t.lines[i+1]]...)
	}
	n.index()
	return n
}

// appendTo adds about size bytes of the text, never none and never more.
func (t *text) appendTo(b []byte, d dice, size int) []byte {
	for {
		from := d.IntN(len(t.cuts) - 1)
		want := t.cuts[from] + size
		to, _ := slices.BinarySearch(t.cuts, want+1)
		to = max(to-1, from+1)
		b = append(b, t.bytes[t.cuts[from]:t.cuts[to]]...)
		if size -= t.cuts[to] - t.cuts[from]; to < len(t.cuts)-1 || size < 64 {
			return b
		}
	}
}

// line returns a line without its end.
func (t *text) line(d dice) []byte {
	i := d.IntN(len(t.lines) - 1)
	return t.bytes[t.lines[i] : t.lines[i+1]-len(`\n`)]
}

// escapedLines counts the lines of a text that is escaped, the last one with or
// without its end.
func escapedLines(b []byte) int {
	n := 0
	open := false
	for i := 0; i < len(b); i++ {
		open = true
		if b[i] == '\\' {
			if i++; b[i] == 'n' {
				n++
				open = false
			}
		}
	}
	if open {
		n++
	}
	return n
}

// appendEscaped adds what s is within a JSON string. Characters beyond ASCII
// are escaped where ascii says so.
func appendEscaped(b []byte, s string, ascii func() bool) []byte {
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ':
			b = appendUnit(b, r)
		case r < utf8.RuneSelf || !ascii():
			b = utf8.AppendRune(b, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = appendUnit(appendUnit(b, high), low)
		default:
			b = appendUnit(b, r)
		}
	}
	return b
}

func appendUnit(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// expand replaces the letters behind % in a template: w a word, W one with a
// capital, i and I identifiers, n a number, p the path of a file.
func expand(d dice, template string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		switch rest[0] {
		case 'w':
			b.WriteString(pick(d, words))
		case 'W':
			b.WriteString(capital(pick(d, words)))
		case 'i':
			b.WriteString(pick(d, nouns) + capital(pick(d, nouns)))
		case 'I':
			b.WriteString(capital(pick(d, nouns)) + capital(pick(d, nouns)))
		case 'n':
			b.WriteString(strconv.Itoa(d.between(1, 400)))
		case 'p':
			b.WriteString(path(d))
		default:
			b.WriteByte(rest[0])
		}
		template = rest[1:]
	}
}

// path draws the path of a file in a project.
func path(d dice) string {
	return pick(d, folders) + "/" + pick(d, nouns) + "_" + pick(d, nouns) + pick(d, endings)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

package corpus

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A text is a supply of text of one kind, JSON-escaped, with the places where it can be
// cut. Generating one is slow, a piece of it costs no more than a copy.
type text struct {
	bytes []byte
	cuts  []int // after spaces and line ends: never within an escape or a character
	lines []int // where lines begin
}

// texts are the supplies by kind.
type texts struct {
	kinds  map[string]*text
	base64 string
}

const (
	supply         = 128 << 10 // bytes of each text
	escapedPercent = 25        // of the characters beyond ASCII
)

func newTexts(r rng, f *format) *texts {
	all := &texts{kinds: make(map[string]*text), base64: r.digits(base62Digits+"+/", supply)}
	for _, kind := range slices.Sorted(maps.Keys(f.Texts)) {
		t := &text{}
		for len(t.bytes) < supply {
			t.bytes = appendEscaped(t.bytes, f.expand(r, pick(r, f.Texts[kind]...)), r, escapedPercent)
		}
		t.index()
		all.kinds[kind] = t
	}
	return all
}

// index finds where the text can be cut.
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

// appendTo appends about size bytes of the text: at least one word, and not more than
// size unless that word is longer.
func (t *text) appendTo(b []byte, r rng, size int) []byte {
	for {
		from := r.IntN(len(t.cuts) - 1)
		to, _ := slices.BinarySearch(t.cuts, t.cuts[from]+size+1)
		to = max(to-1, from+1)
		b = append(b, t.bytes[t.cuts[from]:t.cuts[to]]...)
		if size -= t.cuts[to] - t.cuts[from]; to < len(t.cuts)-1 || size < 64 {
			return b
		}
	}
}

// line returns a line without its end.
func (t *text) line(r rng) []byte {
	i := r.IntN(len(t.lines) - 1)
	return t.bytes[t.lines[i] : t.lines[i+1]-len(`\n`)]
}

// appendBase64 appends size bytes of binary data.
func (t *texts) appendBase64(b []byte, r rng, size int) []byte {
	for size > 0 {
		from := r.IntN(len(t.base64) / 2)
		n := min(size, len(t.base64)-from)
		b = append(b, t.base64[from:from+n]...)
		size -= n
	}
	return append(b, '=')
}

// lineCount counts the lines of an escaped text, the last one with or without its end.
func lineCount(escaped []byte) int {
	var s string
	if err := json.Unmarshal(slices.Concat([]byte{'"'}, escaped, []byte{'"'}), &s); err != nil {
		panic(err)
	}
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
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

// expand replaces the letters after % in a text template: w is a word, W a capitalized
// one, i and I are identifiers, n is a number, p a path.
func (f *format) expand(r rng, template string) string {
	capital := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	return placeholder.ReplaceAllStringFunc(template, func(s string) string {
		switch s[1] {
		case 'w':
			return pick(r, f.Words...)
		case 'W':
			return capital(pick(r, f.Words...))
		case 'i':
			return pick(r, f.Nouns...) + capital(pick(r, f.Nouns...))
		case 'I':
			return capital(pick(r, f.Nouns...)) + capital(pick(r, f.Nouns...))
		case 'n':
			return strconv.Itoa(r.between(1, 400))
		case 'p':
			return f.filePath(r)
		}
		return s[1:]
	})
}

var placeholder = regexp.MustCompile(`%.`)

// filePath draws the path of a file in a project.
func (f *format) filePath(r rng) string {
	return pick(r, f.Folders...) + "/" + pick(r, f.Nouns...) + "_" + pick(r, f.Nouns...) + pick(r, f.Extensions...)
}

package transcript

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A lineGenerator generates single lines that are almost entries, for the decoder;
// package transcripttest generates sessions. It makes each decision with a byte of
// choices, and picks the first option once the choices are used up. Choices can
// therefore come from a random number generator or a fuzzer.
type lineGenerator struct {
	choices []byte
	out     []byte
	depth   int
}

// choose returns a number below n, which must be at most 256.
func (g *lineGenerator) choose(n int) int {
	if len(g.choices) == 0 {
		return 0
	}
	c := g.choices[0]
	g.choices = g.choices[1:]
	return int(c) % n
}

// shape generates an object of the grammar, or one of the words.
func (g *lineGenerator) shape(name string) {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 12 {
		g.out = append(g.out, '0')
		return
	}
	if values, ok := words[name]; ok {
		g.value(values[g.choose(len(values))])
		return
	}
	g.out = append(g.out, '{')
	members := shapes[name]
	for i := range 1 + g.choose(len(members)) {
		if i > 0 {
			g.out = append(g.out, ',')
		}
		member := members[i]
		if g.choose(3) == 1 {
			member = members[g.choose(len(members))] // out of order, or repeated
		}
		g.value(`"` + member[0] + `":`)
		if g.choose(12) == 1 {
			g.shape("any")
		} else {
			g.value(member[1+g.choose(len(member)-1)])
		}
	}
	g.out = append(g.out, '}')
}

// value generates JSON from a template that may contain @shapes.
func (g *lineGenerator) value(text string) {
	for text != "" {
		switch c := text[0]; c {
		case '@':
			name := text[1:]
			if i := strings.IndexAny(name, `@,]}`); i >= 0 {
				name = name[:i]
			}
			g.shape(name)
			text = text[1+len(name):]
		case '"':
			end := scanString([]byte(text), 1)
			g.str(text[:end])
			text = text[end:]
		default:
			g.space()
			g.out = append(g.out, c)
			text = text[1:]
			if strings.IndexByte(`{}[],:`, c) >= 0 {
				g.space()
			}
		}
	}
}

func (g *lineGenerator) space() {
	if n := len(g.out); n > 0 && strings.IndexByte(`{}[],:`, g.out[n-1]) >= 0 && g.choose(32) == 1 {
		g.out = append(g.out, []string{" ", "\t", "\r", " \t \r "}[g.choose(4)]...)
	}
}

// str writes a string, sometimes with unnecessary escapes.
func (g *lineGenerator) str(quoted string) {
	if g.choose(8) != 1 {
		g.out = append(g.out, quoted...)
		return
	}
	for i := 0; i < len(quoted); i++ {
		switch c := quoted[i]; {
		case strings.HasPrefix(quoted[i:], `\u`):
			g.out = append(g.out, quoted[i:i+6]...)
			i += 5
		case c == '\\':
			g.out = append(g.out, c, quoted[i+1])
			i++
		case c == '"' || c >= 0x80 || g.choose(3) != 1:
			g.out = append(g.out, c)
		default:
			g.out = fmt.Appendf(g.out, [...]string{`\u%04x`, `\u%04X`}[g.choose(2)], c)
		}
	}
}

func (g *lineGenerator) line() []byte { return g.lineOf("entry") }

// lineOf generates an entry of a shape. Sometimes it is damaged.
func (g *lineGenerator) lineOf(shape string) []byte {
	g.out = g.out[:0]
	g.shape(shape)
	switch g.choose(16) {
	case 1:
		g.shape("entry") // glued
	case 2:
		g.out = g.out[:len(g.out)-g.choose(min(256, len(g.out)))] // torn
		g.shape("entry")
	case 3:
		g.mutate()
	}
	return g.out
}

// mutated returns one of the lines with a few changes.
func (g *lineGenerator) mutated(lines [][]byte) []byte {
	g.out = append(g.out[:0], lines[g.choose(len(lines))]...)
	for range 1 + g.choose(3) {
		g.mutate()
	}
	return g.out
}

// mutate changes, removes, inserts or repeats a few bytes.
func (g *lineGenerator) mutate() {
	at := func() int { return (g.choose(256)<<8 | g.choose(256)) % (len(g.out) + 1) }
	i := at()
	j := min(i+1+g.choose(16), len(g.out))
	switch g.choose(6) {
	case 0:
		g.out = slices.Delete(g.out, i, j)
	case 1:
		if i < j {
			g.out[i] ^= 1 << g.choose(8)
		}
	case 2:
		const odd = "\"\\{}[],:\x00\x1f \t\r\x7f\x80\xc3\xff0-9.eEutn"
		g.out = slices.Insert(g.out, i, odd[g.choose(len(odd))])
	case 3:
		g.out = slices.Insert(g.out, at(), slices.Clone(g.out[i:j])...)
	case 4:
		pieces := []string{`{"type":`, `"message":`, `\u`, `\ud800`, `{"type":"mode","sessionId":"s"}`, `,"type":1`, `"usage":{}`, bom, `}{`, `1e9`}
		g.out = slices.Insert(g.out, i, []byte(pieces[g.choose(len(pieces))])...)
	case 5:
		g.out = g.out[:i]
	}
}

// randomChoices returns bytes that only depend on the arguments.
func randomChoices(seed uint64, n int) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	choices := make([]byte, n)
	for i := range choices {
		choices[i] = byte(random.Uint32())
	}
	return choices
}

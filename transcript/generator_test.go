package transcript

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A maker makes lines that are nearly entries. Each of its decisions is a byte of
// choices; once these are used up it decides for the first of what there is. So it
// can be driven by a random generator, and by a fuzzer.
type generator struct {
	choices []byte
	out     []byte
	depth   int
}

// choose returns a number below n, which is at most 256.
func (m *generator) choose(n int) int {
	if len(m.choices) == 0 {
		return 0
	}
	c := m.choices[0]
	m.choices = m.choices[1:]
	return int(c) % n
}

// shape makes an object, or one of the words.
func (m *generator) shape(name string) {
	m.depth++
	defer func() { m.depth-- }()
	if m.depth > 12 {
		m.out = append(m.out, '0')
		return
	}
	if values, ok := words[name]; ok {
		m.value(values[m.choose(len(values))])
		return
	}
	m.out = append(m.out, '{')
	members := shapes[name]
	for i := range 1 + m.choose(len(members)) {
		if i > 0 {
			m.out = append(m.out, ',')
		}
		member := members[i]
		if m.choose(3) == 1 {
			member = members[m.choose(len(members))] // out of its order, or once more
		}
		m.value(`"` + member[0] + `":`)
		if m.choose(12) == 1 {
			m.shape("any")
		} else {
			m.value(member[1+m.choose(len(member)-1)])
		}
	}
	m.out = append(m.out, '}')
}

// value makes JSON of what is written with @shapes.
func (m *generator) value(text string) {
	for text != "" {
		switch c := text[0]; c {
		case '@':
			name := text[1:]
			if i := strings.IndexAny(name, `@,]}`); i >= 0 {
				name = name[:i]
			}
			m.shape(name)
			text = text[1+len(name):]
		case '"':
			end := scanString([]byte(text), 1)
			m.str(text[:end])
			text = text[end:]
		default:
			m.space()
			m.out = append(m.out, c)
			text = text[1:]
			if strings.IndexByte(`{}[],:`, c) >= 0 {
				m.space()
			}
		}
	}
}

func (m *generator) space() {
	if n := len(m.out); n > 0 && strings.IndexByte(`{}[],:`, m.out[n-1]) >= 0 && m.choose(32) == 1 {
		m.out = append(m.out, []string{" ", "\t", "\r", " \t \r "}[m.choose(4)]...)
	}
}

// str writes a string, sometimes with characters escaped that need not be.
func (m *generator) str(quoted string) {
	if m.choose(8) != 1 {
		m.out = append(m.out, quoted...)
		return
	}
	for i := 0; i < len(quoted); i++ {
		switch c := quoted[i]; {
		case strings.HasPrefix(quoted[i:], `\u`):
			m.out = append(m.out, quoted[i:i+6]...)
			i += 5
		case c == '\\':
			m.out = append(m.out, c, quoted[i+1])
			i++
		case c == '"' || c >= 0x80 || m.choose(3) != 1:
			m.out = append(m.out, c)
		default:
			m.out = fmt.Appendf(m.out, [...]string{`\u%04x`, `\u%04X`}[m.choose(2)], c)
		}
	}
}

// built makes a line.
func (m *generator) built() []byte {
	m.out = m.out[:0]
	m.shape("entry")
	switch m.choose(16) {
	case 1:
		m.shape("entry") // glued
	case 2:
		m.out = m.out[:len(m.out)-m.choose(min(256, len(m.out)))] // torn
		m.shape("entry")
	case 3:
		m.mutate()
	}
	return m.out
}

// mutated makes a line of one that it changes.
func (m *generator) mutated(lines [][]byte) []byte {
	m.out = append(m.out[:0], lines[m.choose(len(lines))]...)
	for range 1 + m.choose(3) {
		m.mutate()
	}
	return m.out
}

// mutate changes, removes, inserts or repeats something.
func (m *generator) mutate() {
	at := func() int { return (m.choose(256)<<8 | m.choose(256)) % (len(m.out) + 1) }
	i := at()
	j := min(i+1+m.choose(16), len(m.out))
	switch m.choose(6) {
	case 0:
		m.out = slices.Delete(m.out, i, j)
	case 1:
		if i < j {
			m.out[i] ^= 1 << m.choose(8)
		}
	case 2:
		const odd = "\"\\{}[],:\x00\x1f \t\r\x7f\x80\xc3\xff0-9.eEutn"
		m.out = slices.Insert(m.out, i, odd[m.choose(len(odd))])
	case 3:
		m.out = slices.Insert(m.out, at(), slices.Clone(m.out[i:j])...)
	case 4:
		pieces := []string{`{"type":`, `"message":`, `\u`, `\ud800`, `{"type":"mode","sessionId":"s"}`, `,"type":1`, `"usage":{}`, bom, `}{`, `1e9`}
		m.out = slices.Insert(m.out, i, []byte(pieces[m.choose(len(pieces))])...)
	case 5:
		m.out = m.out[:i]
	}
}

// randomChoices returns bytes that are the same each time.
func randomChoices(seed uint64, n int) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	choices := make([]byte, n)
	for i := range choices {
		choices[i] = byte(random.Uint32())
	}
	return choices
}

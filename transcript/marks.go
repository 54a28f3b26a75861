package transcript

import (
	"math/bits"
	"unicode/utf8"
)

// chunkSize is how many bytes of a line a chunk marks. Position i is in chunk
// i>>chunkBits, at bit i&chunkMask: unlike / and %, these do not test for negative i.
const (
	chunkBits = 6
	chunkSize = 1 << chunkBits
	chunkMask = chunkSize - 1
)

// A chunk marks 64 bytes of a line. Each word has a bit for each byte, the lowest for
// the first.
type chunk struct {
	quotes  uint64 // quotes that are not escaped
	escaped uint64 // the bytes after the backslashes of escapes
	common  uint64 // n and t, see markChunks
	high    uint64 // bytes that are not ASCII
}

// marks mark the bytes of a line that decide how its strings are read, so that a scan
// finds the end of a string without reading it. Only a line without control characters
// and without invalid escapes has marks. The zero value marks nothing.
type marks struct {
	chunks []chunk // followed by an empty chunk, for ahead
	units  bool    // some escapes have hexadecimal digits, as in \u0000
}

// present reports whether the line is marked.
func (m *marks) present() bool { return m.chunks != nil }

// quote returns the position of the first quote at or after i that is not escaped, and
// -1 if there is none.
func (m *marks) quote(i int) int {
	k := i >> chunkBits
	if k >= len(m.chunks) {
		return -1
	}
	if rest := m.chunks[k].quotes >> (i & chunkMask); rest != 0 {
		return i + bits.TrailingZeros64(rest)
	}
	for k++; k < len(m.chunks); k++ {
		if quotes := m.chunks[k].quotes; quotes != 0 {
			return k<<chunkBits + bits.TrailingZeros64(quotes)
		}
	}
	return -1
}

// ahead returns the marks of the 64 bytes from i on; bytes after the line have no
// marks.
func (m *marks) ahead(i int) (quotes, escaped uint64) {
	k, shift := i>>chunkBits, i&chunkMask
	if k+1 >= len(m.chunks) {
		return 0, 0
	}
	first, second := &m.chunks[k], &m.chunks[k+1]
	quotes = first.quotes>>shift | second.quotes<<(chunkSize-shift)
	escaped = first.escaped>>shift | second.escaped<<(chunkSize-shift)
	return quotes, escaped
}

// escapes returns the number of escapes between i and the quote at j.
func (m *marks) escapes(i, j int) int {
	k, last := i>>chunkBits, j>>chunkBits
	n := -bits.OnesCount64(m.chunks[last].escaped >> (j & chunkMask)) // escaped bytes after the quote
	escaped := m.chunks[k].escaped >> (i & chunkMask)
	for ; k < last; k++ {
		n += bits.OnesCount64(escaped)
		escaped = m.chunks[k+1].escaped
	}
	return n + bits.OnesCount64(escaped)
}

// textLength returns the length of the text of the string from i to the end of b, in
// bytes. It reads only bytes that are not ASCII, and escapes if some have digits.
func (m *marks) textLength(b []byte, i int) int {
	escapes := m.escapes(i, len(b))
	n := len(b) - i - escapes + invalidGrowth*m.invalidBytes(b, i)
	if escapes > 0 && m.units {
		n -= m.unitExcess(b, i)
	}
	return n
}

// unitExcess corrects textLength for escapes with digits, from i to the end of b.
// textLength counts five bytes for each, and their text has one to three, or four for a
// pair of surrogates, which is two escapes. It returns the sum of the differences.
func (m *marks) unitExcess(b []byte, i int) (excess int) {
	for k := i >> chunkBits; k<<chunkBits < len(b); k++ {
		for rare := m.chunks[k].escaped &^ m.chunks[k].common; rare != 0; rare &= rare - 1 {
			at := k<<chunkBits + bits.TrailingZeros64(rare)
			if at < i || at >= len(b) || b[at] != 'u' {
				continue
			}
			r, size := unescape(b[at-1:])
			excess += size - size/6 - utf8.RuneLen(r) // a surrogate pair is two escapes
			i = at - 1 + size
		}
	}
	return excess
}

// invalidBytes is the function of the same name for the marked bytes of b from i on. It
// reads only bytes that are not ASCII.
func (m *marks) invalidBytes(b []byte, i int) (n int) {
	for i = m.nextHigh(i, len(b)); i < len(b); i = m.nextHigh(i, len(b)) {
		size, ok := charSize(b[i:])
		if !ok {
			n++
		}
		i += size
	}
	return n
}

// nextHigh returns the position of the first byte at or after i that is not ASCII, and
// at least j if there is none before j.
func (m *marks) nextHigh(i, j int) int {
	for ; i < j; i = (i | chunkMask) + 1 {
		if rest := m.chunks[i>>chunkBits].high >> (i & chunkMask); rest != 0 {
			return i + bits.TrailingZeros64(rest)
		}
	}
	return j
}

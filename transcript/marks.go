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
	chunks []chunk
	units  bool // some escapes have hexadecimal digits, as in \u0000
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

// escapes returns the number of escapes between i and the quote at j.
func (m *marks) escapes(i, j int) int {
	k, last := i>>chunkBits, j>>chunkBits
	n := -bits.OnesCount64(m.chunks[last].escaped >> (j & chunkMask)) // those after the quote
	escaped := m.chunks[k].escaped >> (i & chunkMask)
	for ; k < last; k++ {
		n += bits.OnesCount64(escaped)
		escaped = m.chunks[k+1].escaped
	}
	return n + bits.OnesCount64(escaped)
}

// isUTF8 is utf8.Valid for the marked bytes of b from i on. It reads only those that
// are not ASCII.
func (m *marks) isUTF8(b []byte, i int) bool {
	for i = m.nextHigh(i, len(b)); i < len(b); i = m.nextHigh(i, len(b)) {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return false
		}
		i += size
	}
	return true
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

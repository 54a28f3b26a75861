package transcript

import "math/bits"

// A marker marks lines, with memory that it reuses.
type marker struct {
	enabled bool // vector instructions are available
	chunks  []chunk
}

// mark returns the marks of a line, valid until the next call. It returns no marks for
// lines over 1 MiB, whose marks would take much memory, and for lines with control
// characters or invalid escapes. The scan without marks then finds out whether such a
// line is valid.
func (m *marker) mark(b []byte) marks {
	if !m.enabled || len(b) > maxReusedLine {
		return marks{}
	}
	n := (len(b) + chunkSize - 1) / chunkSize
	if n >= len(m.chunks) {
		m.chunks = make([]chunk, n+n/4+1)
	}
	m.chunks[n] = chunk{}
	chunks := m.chunks[:n]
	if markAll(chunks, b) < ' ' {
		return marks{}
	}
	units, ok := markEscapes(chunks, b)
	if !ok {
		return marks{}
	}
	return marks{chunks: m.chunks[:n+1], units: units}
}

// markAll sets the chunks of b and returns its lowest byte. Missing bytes of the last
// chunk count as spaces.
func markAll(chunks []chunk, b []byte) (lowest byte) {
	lowest = ' '
	whole := len(b) / chunkSize
	if whole > 0 {
		lowest = min(lowest, markChunks(&chunks[0], &b[0], whole))
	}
	if rest := b[whole*chunkSize:]; len(rest) > 0 {
		var last [chunkSize]byte
		for i := copy(last[:], rest); i < chunkSize; i++ {
			last[i] = ' '
		}
		lowest = min(lowest, markChunks(&chunks[whole], &last[0], 1))
	}
	return lowest
}

// markEscapes replaces the marks of backslashes, in escaped, with marks of the bytes
// that they escape, and removes the marks of escaped quotes. ok is false if an escape
// is invalid or incomplete.
func markEscapes(chunks []chunk, b []byte) (units, ok bool) {
	var carry uint64
	for k := range chunks {
		m := &chunks[k]
		backslashes := m.escaped
		if backslashes|carry == 0 {
			continue
		}
		m.escaped, carry = escapedBytes(backslashes, carry)
		rare := m.escaped &^ (backslashes | m.quotes | m.common)
		m.quotes &^= m.escaped
		for ; rare != 0; rare &= rare - 1 {
			i := k<<chunkBits + bits.TrailingZeros64(rare)
			if !isEscape(b, i-1) {
				return false, false
			}
			units = units || b[i] == 'u'
		}
	}
	return units, carry == 0
}

// isEscape reports whether a whole and valid escape begins with the backslash at i.
func isEscape(b []byte, i int) bool {
	if i+1 >= len(b) {
		return false
	}
	end := scanEscape(b, i)
	return 0 <= end && end <= len(b)
}

// escapedBytes returns which bytes of a chunk are escaped by the backslash before them,
// given all its backslashes and whether its first byte is escaped. overflow is whether
// the first byte of the next chunk is.
//
// Of a run of backslashes and the byte after it, every other byte is escaped, from the
// second on. These have even positions if the run starts at an odd one, and odd
// positions otherwise. Adding the odd starts to the backslashes clears their runs, so
// that the sum inverts even only for the other runs.
func escapedBytes(backslashes, carry uint64) (escaped, overflow uint64) {
	const even = 0x5555555555555555
	backslashes &^= carry // an escaped backslash escapes nothing
	after := backslashes<<1 | carry
	oddStarts := backslashes &^ even &^ after
	sum, overflow := bits.Add64(oddStarts, backslashes, 0)
	return (even ^ sum<<1) & after, overflow
}

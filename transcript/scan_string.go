package transcript

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// scanString finds the end of the string whose opening quote is before i.
func scanString(b []byte, i int) int {
	if end := scanWords(b, i); end >= 0 {
		return end
	}
	end, _, _ := scanText(b, i)
	return end
}

// scanWords is scanString for strings without escapes that end within a few 8-byte
// words, as most keys, ids and names do. It returns -1 for any other string.
func scanWords(b []byte, i int) int {
	for range 6 {
		if i+8 > len(b) {
			break
		}
		if stop := special(binary.LittleEndian.Uint64(b[i:])); stop != 0 {
			if i += bits.TrailingZeros64(stop) >> 3; b[i] != '"' {
				return -1
			}
			return i + 1
		}
		i += 8
	}
	// Fewer than eight bytes may be left.
	for ; i < len(b) && i+8 > len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\', c < ' ':
			return -1
		}
	}
	return -1
}

// scanText is scanString for text and code, which have an escape about every forty
// bytes. It also returns the length of the text in bytes, valid if the string is UTF-8
// and -1 if it has escapes with digits; and whether the string is all ASCII.
func scanText(b []byte, i int) (end, length int, ascii bool) {
	start, short, odd := i, 0, false
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return ^len(b), 0, false
		}
		quote := i + n
		// An escape may extend past the quote, which then does not end the string.
		for i < quote {
			n := bytes.IndexByte(b[i:quote], '\\')
			if n < 0 {
				i = quote
				break
			}
			for i += n; i < quote && b[i] == '\\'; short++ {
				odd = odd || b[i+1] == 'u'
				if i = scanEscape(b, i); i < 0 {
					return ^quote, 0, false
				}
			}
		}
		if i != quote {
			continue
		}
		control, high := survey(b[start:quote])
		if control {
			return ^quote, 0, false
		}
		if odd {
			return quote + 1, -1, !high
		}
		return quote + 1, quote - start - short, !high
	}
}

// scanLength is scanner.scanLength for bytes without marks.
func scanLength(b []byte, i int) (end, length int) {
	end, ascii := scanWords(b, i), false
	length = end - 1 - i
	if end < 0 {
		end, length, ascii = scanText(b, i)
	}
	if end >= 0 && (length < 0 || !ascii) {
		length = textLength(b[i : end-1])
	}
	return end, length
}

// scanEscape finds the end of the escape whose backslash is at i. A quote follows
// somewhere, so that b[i+1] exists.
func scanEscape(b []byte, i int) int {
	switch b[i+1] {
	case 'n', '"', '\\', 't', 'r', '/', 'b', 'f':
		return i + 2
	case 'u':
		for _, c := range b[i+2 : min(i+6, len(b))] {
			if !isHex(c) {
				return ^i
			}
		}
		return i + 6
	}
	return ^i
}

func isHex(c byte) bool { return c-'0' <= 9 || (c|0x20)-'a' <= 5 }

// Words with every byte set to the same value.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// special sets the high bit of every byte that is a quote, a backslash or a control
// character. Only the lowest bit set is reliable: borrows may set higher bits.
func special(x uint64) uint64 {
	quote, backslash := x^'"'*ones, x^'\\'*ones
	return ((quote-ones)&^quote | (backslash-ones)&^backslash | (x-' '*ones)&^x) & highs
}

// survey reports whether b contains control characters, and whether it contains
// anything but ASCII.
func survey(b []byte) (control, high bool) {
	var controls, all uint64
	for len(b) >= 16 {
		x, y := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		controls |= (x-' '*ones)&^x | (y-' '*ones)&^y
		all |= x | y
		b = b[16:]
	}
	for _, c := range b {
		controls |= uint64(c-' ') &^ uint64(c)
		all |= uint64(c)
	}
	return controls&highs != 0, all&highs != 0
}

// isPlain reports whether b is all ASCII and contains no backslash.
func isPlain(b []byte) bool {
	var marks uint64
	if len(b) >= 8 {
		marks = plainMarks(binary.LittleEndian.Uint64(b[len(b)-8:]))
		for ; len(b) > 8; b = b[8:] {
			marks |= plainMarks(binary.LittleEndian.Uint64(b))
		}
		return marks&highs == 0
	}
	for _, c := range b {
		if c == '\\' {
			return false
		}
		marks |= uint64(c)
	}
	return marks&highs == 0
}

// plainMarks sets the high bit of some byte if any is a backslash or not ASCII.
func plainMarks(x uint64) uint64 {
	backslash := x ^ '\\'*ones
	return (backslash-ones)&^backslash | x
}

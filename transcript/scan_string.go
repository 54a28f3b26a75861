package transcript

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// scanString finds the end of the string whose quote is before i.
func scanString(b []byte, i int) int {
	if end := scanWords(b, i); end >= 0 {
		return end
	}
	end, _, _ := scanText(b, i)
	return end
}

// scanWords is scanString for strings without an escape that end within some
// words, as most do: keys, ids, names. For every other it returns -1.
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
	// The end of the line may be near.
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

// scanText is scanString for text and code, in which something is escaped every
// forty bytes. It also tells how many bytes the text has, provided that it is UTF-8,
// -1 where that takes a closer look; and whether it is written in ASCII alone.
func scanText(b []byte, i int) (end, length int, ascii bool) {
	start, short, odd := i, 0, false
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return ^len(b), 0, false
		}
		quote := i + n
		// An escape may reach up to behind the quote, and then it is not the end.
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

// scanEscape finds the end of the escape whose backslash is at i, somewhere before
// a quote.
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

// Every byte of a word set to one number.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// special marks the quotes, backslashes and control characters among eight
// bytes by their highest bits. Only the lowest of the marks is sure to be right.
func special(x uint64) uint64 {
	quote, backslash := x^'"'*ones, x^'\\'*ones
	return ((quote-ones)&^quote | (backslash-ones)&^backslash | (x-' '*ones)&^x) & highs
}

// survey reports whether there is a control character, and whether there is
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

// isPlain reports whether there is neither a backslash nor anything but ASCII.
func isPlain(b []byte) bool {
	var marks uint64
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		backslash := x ^ '\\'*ones
		marks |= (backslash-ones)&^backslash | x
		b = b[8:]
	}
	for _, c := range b {
		if c == '\\' {
			return false
		}
		marks |= uint64(c)
	}
	return marks&highs == 0
}

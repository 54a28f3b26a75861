package transcript

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// plain reports whether the text of a string is exactly the bytes between its quotes.
func (v rawValue) plain() bool {
	return isPlain(v) || bytes.IndexByte(v, '\\') < 0 && isUTF8(v)
}

func isUTF8(b []byte) bool { return invalidBytes(b) == 0 }

// invalidBytes returns the number of bytes that are not UTF-8 and decode to U+FFFD. It
// stays fast after the first character that is not ASCII: the output of some tools has
// such characters in every line.
func invalidBytes(b []byte) (n int) {
	for i := 0; i < len(b); {
		if len(b)-i >= 8 {
			high := binary.LittleEndian.Uint64(b[i:]) & highs
			if high == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(high) >> 3
		}
		size, ok := charSize(b[i:])
		if !ok {
			n++
		}
		i += size
	}
	return n
}

// charSize returns the size of the first character of b. ok is false if b does not
// begin with UTF-8, whose first byte then counts as a character.
func charSize(b []byte) (size int, ok bool) {
	if len(b) >= 4 {
		if size = usualSize(binary.LittleEndian.Uint32(b)); size > 0 {
			return size, true
		}
	}
	r, size := utf8.DecodeRune(b)
	return size, r != utf8.RuneError || size != 1
}

// usualSize returns the size of the character at the start of four bytes, 0 if it has
// one or four bytes or is invalid: the first byte begins a character, the next bytes
// continue it, and it is neither a surrogate nor longer than necessary.
func usualSize(x uint32) int {
	switch {
	case x&0xc0c0f0 == 0x8080e0 && x&0x200f != 0 && x&0x200f != 0x200d:
		return 3
	case x&0xc0e0 == 0x80c0 && x&0x1e != 0:
		return 2
	}
	return 0
}

// invalidGrowth is the number of bytes that decoding adds to a byte that is not UTF-8.
const invalidGrowth = len("\uFFFD") - 1

// textLength returns the length of the text that appendText appends.
func textLength(s []byte) (n int) {
	for len(s) > 0 {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			i = len(s)
		}
		n += i + invalidGrowth*invalidBytes(s[:i])
		if s = s[i:]; len(s) > 0 {
			r, size := unescape(s)
			n += utf8.RuneLen(r)
			s = s[size:]
		}
	}
	return n
}

// appendText appends the text of the string s, given without its quotes. It decodes
// escapes, and replaces half of a surrogate pair and every byte that is not UTF-8 with
// U+FFFD.
func appendText(dst, s []byte) []byte { return appendBeginning(dst, s, math.MaxInt) }

// appendBeginning is appendText, but stops after length bytes. A character may be cut
// there.
func appendBeginning(dst, s []byte, length int) []byte {
	for before := len(dst); len(s) > 0 && len(dst)-before < length; {
		n := bytes.IndexByte(s, '\\')
		if n < 0 {
			n = len(s)
		}
		n = min(n, length-(len(dst)-before))
		dst = appendValid(dst, s[:n])
		if s = s[n:]; len(s) > 0 && s[0] == '\\' {
			r, size := unescape(s)
			dst = utf8.AppendRune(dst, r)
			s = s[size:]
		}
	}
	return dst
}

// appendValid appends s, with every byte that is not UTF-8 replaced with U+FFFD.
func appendValid(dst, s []byte) []byte {
	if isUTF8(s) {
		return append(dst, s...)
	}
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		dst = utf8.AppendRune(dst, r)
		s = s[size:]
	}
	return dst
}

// firstByte returns the first byte of the text of a string; 0 if there is none. For an
// escaped character beyond ASCII it returns 0x80.
func (v rawValue) firstByte() byte {
	switch {
	case !v.isString() || len(v) == 2:
		return 0
	case v[1] != '\\':
		return v[1]
	}
	r, _ := unescape(v[1:])
	return byte(min(r, utf8.RuneSelf))
}

// unescape decodes the escape at the start of s, and returns its size.
func unescape(s []byte) (r rune, size int) {
	switch s[1] {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		return unescapeUnit(s)
	}
	return rune(s[1]), 2 // a quote, a slash or a backslash
}

// unescapeUnit decodes the escape of a UTF-16 code unit in hexadecimal digits, or a
// surrogate pair of such escapes.
func unescapeUnit(s []byte) (r rune, size int) {
	r = hex(s[2:6])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if r := utf16.DecodeRune(r, hex(s[8:12])); r != utf8.RuneError {
			return r, 12
		}
	}
	return utf8.RuneError, 6
}

// hex parses hexadecimal digits.
func hex(s []byte) rune {
	var r rune
	for _, c := range s {
		if c |= 0x20; c >= 'a' {
			c -= 'a' - 10 - '0'
		}
		r = r<<4 | rune(c-'0')
	}
	return r
}

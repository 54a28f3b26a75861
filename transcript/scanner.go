package transcript

import "bytes"

// A scanner finds the end of the values in b. With marks of b it does not read strings,
// without them it also validates them; the results are the same.
type scanner struct {
	b     []byte
	marks marks
}

// scanString finds the end of the string whose opening quote is before i.
func (s *scanner) scanString(i int) int {
	if !s.marks.present() {
		return scanString(s.b, i)
	}
	quote := s.marks.quote(i)
	if quote < 0 {
		return ^len(s.b)
	}
	return quote + 1
}

// scanName is scanString, and reports whether the string contains escapes.
func (s *scanner) scanName(i int) (end int, escaped bool) {
	if s.marks.present() {
		end = s.scanString(i)
		return end, end >= 0 && s.marks.escapes(i, end-1) > 0
	}
	if end = scanWords(s.b, i); end >= 0 {
		return end, false
	}
	end, _, _ = scanText(s.b, i)
	return end, end >= 0 && bytes.IndexByte(s.b[i:end], '\\') >= 0
}

// scanLength is scanString, and returns the length of the text of the string in bytes.
func (s *scanner) scanLength(i int) (end, length int) {
	if !s.marks.present() {
		return scanLength(s.b, i)
	}
	if end = s.scanString(i); end < 0 {
		return end, 0
	}
	return end, s.marks.textLength(s.b[:end-1], i)
}

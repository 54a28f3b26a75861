package transcript

// The scanner finds the end of a JSON value and validates it. It accepts exactly what
// encoding/json accepts, several times as fast: it examines eight bytes of a string at
// once, or none if the line is marked, decodes nothing and allocates nothing.
//
// Every scan function takes the bytes and a position, and returns the position after
// the scanned part. On a syntax error it returns the bitwise complement of the position
// that it has reached, a negative number.

// maxDepth is how deep values may be nested, as in encoding/json.
const maxDepth = 10000

// scanValue is scanner.scanValue for bytes without marks.
func scanValue(b []byte, i int) int {
	s := scanner{b: b}
	return s.scanValue(i, 0)
}

// scanValue finds the end of the value at i, which is nested in depth containers.
func (s *scanner) scanValue(i, depth int) int {
	b := s.b
	if i >= len(b) {
		return ^len(b)
	}
	switch c := b[i]; c {
	case '"':
		return s.scanString(i + 1)
	case '{', '[':
		return s.scanContainer(i+1, depth+1, c+2) // '{' and '}', '[' and ']' are two apart
	case 't':
		return scanWord(b, i, "true")
	case 'f':
		return scanWord(b, i, "false")
	case 'n':
		return scanWord(b, i, "null")
	default:
		return scanNumber(b, i)
	}
}

// scanContainer finds the end of the object or array whose opening bracket is before i
// and whose closing bracket is end.
func (s *scanner) scanContainer(i, depth int, end byte) int {
	b := s.b
	if depth > maxDepth {
		return ^i
	}
	if i = scanSpace(b, i); i < len(b) && b[i] == end {
		return i + 1
	}
	for more := true; more; {
		if end == '}' {
			if i = s.scanKey(i); i < 0 {
				return i
			}
		}
		if i = s.scanValue(i, depth); i < 0 {
			return i
		}
		i, more = scanNext(b, i, end)
	}
	return i
}

// scanKey scans the key at i, and finds the value of its member.
func (s *scanner) scanKey(i int) int {
	b := s.b
	if i >= len(b) || b[i] != '"' {
		return ^min(i, len(b))
	}
	if i = s.scanString(i + 1); i < 0 {
		return i
	}
	return scanColon(b, i)
}

// scanColon finds the value after a key that ends at i.
func scanColon(b []byte, i int) int {
	if i = scanSpace(b, i); i >= len(b) || b[i] != ':' {
		return ^min(i, len(b))
	}
	return scanSpace(b, i+1)
}

// scanNext finds the next member or element after the member or element that ends at i
// or, if there are no more, the end of their container, which end closes.
func scanNext(b []byte, i int, end byte) (next int, more bool) {
	if i = scanSpace(b, i); i >= len(b) {
		return ^len(b), false
	}
	switch b[i] {
	case ',':
		return scanSpace(b, i+1), true
	case end:
		return i + 1, false
	}
	return ^i, false
}

// scanSpace finds the first byte from i on that is not white space.
func scanSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

func scanWord(b []byte, i int, word string) int {
	if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
		return i + len(word)
	}
	return ^i
}

// scanNumber finds the end of the number at i.
func scanNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = scanDigits(b, i); i < 0 {
		return i
	}
	if i < len(b) && b[i] == '.' {
		if i = scanDigits(b, i+1); i < 0 {
			return i
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return scanDigits(b, i)
	}
	return i
}

// scanDigits finds the end of one or more digits at i.
func scanDigits(b []byte, i int) int {
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return ^i
	}
	return i
}

package transcript

import (
	"bytes"
	"strconv"
)

// A rawValue is a well-formed JSON value as written, without surrounding white space.
// It is nil if the value is absent.
type rawValue []byte

// maxCount is the largest number accepted as a count. Many JSON writers only know
// doubles, which represent integers exactly up to here.
const maxCount = 1 << 53

// count returns the value as a count. Fractions are truncated; negative numbers and
// values that are not numbers count as 0. A number above maxCount returns 0 and ok
// false.
func (v rawValue) count() (n uint64, ok bool) {
	if !v.isNumber() {
		return 0, true
	}
	n, ok = v.digits()
	if !ok {
		f, _ := strconv.ParseFloat(string(v), 64) // out of range is ±Inf
		n = uint64(min(max(f, 0), 2*maxCount))
	}
	if n > maxCount {
		return 0, false
	}
	return n, true
}

// countOrZero returns the value as a count, 0 if the count is not valid.
func (v rawValue) countOrZero() uint64 {
	n, _ := v.count()
	return n
}

// digits parses a number of up to 18 digits and nothing else.
func (v rawValue) digits() (n uint64, ok bool) {
	if len(v) > 18 {
		return 0, false
	}
	for _, c := range v {
		if c-'0' > 9 {
			return 0, false
		}
		n = 10*n + uint64(c-'0')
	}
	return n, true
}

func (v rawValue) isString() bool { return len(v) > 0 && v[0] == '"' }
func (v rawValue) isObject() bool { return len(v) > 0 && v[0] == '{' }
func (v rawValue) isArray() bool  { return len(v) > 0 && v[0] == '[' }
func (v rawValue) isTrue() bool   { return len(v) > 0 && v[0] == 't' }
func (v rawValue) isNumber() bool { return len(v) > 0 && (v[0] == '-' || v[0]-'0' <= 9) }

func (v rawValue) isInteger() bool { return v.isNumber() && !bytes.ContainsAny(v, ".eE") }

// isNull reports whether the value is null or absent.
func (v rawValue) isNull() bool { return len(v) == 0 || v[0] == 'n' }

// hasNumber reports whether the value is or contains a number, at any depth.
func (v rawValue) hasNumber() bool {
	for i := 0; i < len(v); {
		switch c := v[i]; {
		case c == '"':
			i = scanString(v, i+1)
		case c-'0' <= 9:
			return true
		default:
			i++
		}
	}
	return false
}

// truthy reports whether the value is neither absent, null, false, zero nor empty.
func (v rawValue) truthy() bool {
	switch {
	case v.isNull() || v[0] == 'f':
		return false
	case v.isNumber():
		f, _ := strconv.ParseFloat(string(v), 64) // out of range is ±Inf: not zero
		return f != 0
	case v[0] == 't':
		return true
	}
	inside := v[1 : len(v)-1]
	return len(inside) > 0 && (v[0] == '"' || scanSpace(inside, 0) < len(inside))
}

// str returns the text of a string, "" for any other value.
func (v rawValue) str() string {
	var buf []byte
	return string(v.text(&buf))
}

// is reports whether the value is the string want. An escaped character takes up to six
// bytes, as in \u0000.
func (v rawValue) is(want string) bool {
	if !v.isString() || len(v)-2 > 6*len(want) {
		return false
	}
	inside := v[1 : len(v)-1]
	return string(inside) == want || !isPlain(inside) && isDecoded(inside, want)
}

// isDecoded reports whether want is the text of the string s, given without its quotes.
func isDecoded(s []byte, want string) bool {
	var buf [128]byte
	return string(appendText(buf[:0], s)) == want
}

// isOr is is, or otherwise if the value is null or absent.
func (v rawValue) isOr(want string, otherwise bool) bool {
	if v.isNull() {
		return otherwise
	}
	return v.is(want)
}

// endsWith reports whether the value is a string that ends with suffix.
func (v rawValue) endsWith(suffix string) bool {
	var buf []byte
	return bytes.HasSuffix(v.text(&buf), []byte(suffix))
}

// text returns the text of a string, nil for any other value: a part of v if nothing
// has to be decoded, else *buf, which it overwrites.
func (v rawValue) text(buf *[]byte) []byte {
	if !v.isString() {
		return nil
	}
	if v.plain() {
		return v[1 : len(v)-1]
	}
	*buf = appendText((*buf)[:0], v[1:len(v)-1])
	return *buf
}

// scalar returns a string or a number as a label value.
func (v rawValue) scalar() (s string, ok bool) {
	if v.isNumber() {
		return Clean(string(v)), true
	}
	return Clean(v.str()), v.isString()
}

package transcript

import (
	"bytes"
	"strconv"
	"strings"
)

// A raw value is a well-formed JSON value as it is written, without white space
// around it. Nil is one that is not there.
type rawValue []byte

// maxCount is the largest number taken for a count: up to here a reader that
// knows only doubles, which many writers of JSON are, keeps it exact.
const maxCount = 1 << 53

// count reads a count: fractions are cut off, and what is not a number or is
// below zero counts as 0. A number beyond maxCount is 0 and not ok.
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

// countOrZero returns the count that the value is, 0 where it can be none.
func (v rawValue) countOrZero() uint64 {
	n, _ := v.count()
	return n
}

// digits reads a number that is nothing but up to 18 digits.
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

// hasNumber reports whether the value is a number or there is one in it, at any depth.
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

// truthy reports whether the value says anything: absent, null, false, zero and
// what is empty do not.
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

// str returns the string that the value is; ok is false for any other value.
func (v rawValue) str() (s string, ok bool) {
	if !v.isString() {
		return "", false
	}
	return string(v.text(nil)), true
}

// orEmpty returns the string that the value is, "" for any other value.
func (v rawValue) orEmpty() string {
	s, _ := v.str()
	return s
}

// is reports whether the value is the string want. A character takes at most the
// six bytes of \u0000.
func (v rawValue) is(want string) bool {
	if !v.isString() || len(v)-2 > 6*len(want) {
		return false
	}
	var room [128]byte
	return string(v[1:len(v)-1]) == want || !v.plain() && string(v.text(room[:0])) == want
}

// endsWith reports whether the value is a string that ends with suffix.
func (v rawValue) endsWith(suffix string) bool {
	switch {
	case !v.isString():
		return false
	case v.plain():
		return bytes.HasSuffix(v[1:len(v)-1], []byte(suffix))
	}
	return strings.HasSuffix(v.orEmpty(), suffix)
}

// text returns the text of a value that is a string: a piece of it where nothing
// is to be decoded, else it is decoded into room.
func (v rawValue) text(room []byte) []byte {
	inside := v[1 : len(v)-1]
	if v.plain() {
		return inside
	}
	return appendText(room[:0], inside)
}

// scalar returns a string or a number as it stands in a label.
func (v rawValue) scalar() (s string, ok bool) {
	if v.isNumber() {
		return Clean(string(v)), true
	}
	s, ok = v.str()
	return Clean(s), ok
}

package transcript

import (
	"iter"
	"math/bits"
)

// A cursor reads one JSON value in a single pass from start to end. It enters the
// wanted parts, skips the rest, and validates all parts on the way.
//
//	for more := c.enter('{'); more; more = c.more('}') {
//		switch string(c.key()) {
//		case "id":
//			id = c.value()
//		default:
//			c.value()
//		}
//	}
//
// Each member and element must be passed by value or entered. After a syntax error,
// enter and more return false and every value is nil, so callers only need to check
// failed at the end.
type cursor struct {
	scanner
	at    int // the position; negative after a syntax error, see scanValue
	depth int
	text  []byte // buffer for strings that have to be decoded
}

func newCursor(b []byte) cursor { return cursor{scanner: scanner{b: b}, at: scanSpace(b, 0)} }

func (c *cursor) failed() bool { return c.at < 0 }

// nextIs reports whether the next value begins with first.
func (c *cursor) nextIs(first byte) bool {
	return c.at >= 0 && c.at < len(c.b) && c.b[c.at] == first
}

// enter enters the next value if it is the kind of container that bracket opens, and
// reports whether the container has members or elements. It skips any other value.
// Callers must not enter values nested deeper than maxDepth.
func (c *cursor) enter(bracket byte) bool {
	if !c.nextIs(bracket) {
		c.value()
		return false
	}
	c.at = scanSpace(c.b, c.at+1)
	if c.nextIs(bracket + 2) { // '{' and '}', '[' and ']' are two apart
		c.at++
		return false
	}
	c.depth++
	return true
}

// more moves to the next member or element and returns true, or leaves the container
// that end closes and returns false.
func (c *cursor) more(end byte) (more bool) {
	if c.at < 0 {
		return false
	}
	if b, i := c.b, c.at; i+1 < len(b) && b[i] == ',' && b[i+1] > ' ' {
		c.at = i + 1
		return true
	}
	if c.at, more = scanNext(c.b, c.at, end); !more {
		c.depth--
	}
	return more
}

// key reads the key of the next member. It is valid until the next call. Invalid UTF-8
// in a key without escapes is returned as is: no known key contains any.
func (c *cursor) key() []byte {
	if !c.nextIs('"') {
		c.fail()
		return nil
	}
	start := c.at + 1
	quotes, escaped := c.marks.ahead(start)
	if quotes == 0 || escaped&(quotes-1)&^quotes != 0 {
		return c.anyKey(start)
	}
	// A short key without escapes, as nearly all are.
	b, end := c.b, start+bits.TrailingZeros64(quotes)
	if end+2 < len(b) && b[end+1] == ':' && b[end+2] > ' ' {
		c.at = end + 2
	} else {
		c.at = scanColon(b, end+1)
	}
	return b[start:end]
}

// anyKey is key for any key, also a long or an escaped one; its opening quote is before
// start.
func (c *cursor) anyKey(start int) []byte {
	end, escaped := c.scanName(start)
	if end < 0 {
		c.at = end
		return nil
	}
	c.at = scanColon(c.b, end)
	if escaped {
		c.text = appendText(c.text[:0], c.b[start:end-1])
		return c.text
	}
	return c.b[start : end-1]
}

// value skips the next value and returns it.
func (c *cursor) value() rawValue {
	start := c.at
	if start < 0 {
		return nil
	}
	if c.nextIs('"') {
		c.at = c.scanString(start + 1)
	} else {
		c.at = c.scanValue(start, c.depth)
	}
	return c.since(start)
}

// since returns the value that begins at start and ends here.
func (c *cursor) since(start int) rawValue {
	if c.at < 0 {
		return nil
	}
	return c.b[start:c.at:c.at]
}

// textLen skips the next value and returns the length of its text in bytes; 0 if it is
// not a string.
func (c *cursor) textLen() int {
	if !c.nextIs('"') {
		c.value()
		return 0
	}
	end, length := c.scanLength(c.at + 1)
	if c.at = end; end < 0 {
		return 0
	}
	return length
}

func (c *cursor) fail() {
	if c.at >= 0 {
		c.at = ^c.at
	}
}

// pick skips the next value and, if it is an object, sets values to its members with
// the wanted keys. The last of equal keys wins. others reports whether the object has
// other keys.
func (c *cursor) pick(wanted []string, values []rawValue) (others bool) {
	clear(values)
	for more := c.enter('{'); more; more = c.more('}') {
		key, value := c.key(), c.value()
		i := 0
		for i < len(wanted) && string(key) != wanted[i] {
			i++
		}
		if i == len(wanted) {
			others = true
		} else {
			values[i] = value
		}
	}
	return others
}

// member returns the member of an object with a key, nil if there is no such member or
// v is not an object. The last of equal keys wins.
func (v rawValue) member(key string) (value rawValue) {
	if !v.isObject() {
		return nil
	}
	c := newCursor(v)
	for more := c.enter('{'); more; more = c.more('}') {
		if name, member := c.key(), c.value(); string(name) == key {
			value = member
		}
	}
	return value
}

// elements returns the elements of an array, none of any other value.
func (v rawValue) elements() iter.Seq[rawValue] {
	return func(yield func(rawValue) bool) {
		if !v.isArray() {
			return
		}
		c := newCursor(v)
		for more := c.enter('['); more; more = c.more(']') {
			if !yield(c.value()) {
				return
			}
		}
	}
}

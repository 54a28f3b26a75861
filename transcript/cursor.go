package transcript

import (
	"bytes"
	"iter"
)

// A walk goes through one JSON value from its beginning to its end, into what is
// wanted of it and past everything else, and finds out on its way whether it is
// well-formed.
//
//	for more := w.enter('{'); more; more = w.more('}') {
//		switch string(w.key()) {
//		case "id":
//			id = w.value()
//		default:
//			w.value()
//		}
//	}
//
// Each member and element must be walked past by value or entered. Once
// something is malformed, enter and more are false and every value is nil, so
// that nobody need look before the end, where failed tells.
type cursor struct {
	b     []byte
	at    int // where it has come to; negative once it has failed, see scanValue
	depth int
	text  []byte // a key that had to be decoded
}

func (w *cursor) begin(b []byte) { w.b, w.at, w.depth = b, scanSpace(b, 0), 0 }

func (w *cursor) failed() bool { return w.at < 0 }

// is reports whether the value that comes next begins with c.
func (w *cursor) is(c byte) bool { return w.at >= 0 && w.at < len(w.b) && w.b[w.at] == c }

// enter goes into the object or the array that comes next, by its bracket, and
// reports whether there is something in it. Whoever enters has looked at what comes
// next, and does not go deeper than a line may be.
func (w *cursor) enter(bracket byte) bool {
	w.at = scanSpace(w.b, w.at+1)
	if w.is(bracket + 2) { // '{' and '}', '[' and ']' are two apart
		w.at++
		return false
	}
	w.depth++
	return true
}

// more goes on to the next member or element, or out of the object or array that
// closes with end; it reports which.
func (w *cursor) more(end byte) bool {
	if w.at < 0 {
		return false
	}
	var more bool
	if w.at, more = scanNext(w.b, w.at, end); !more {
		w.depth--
	}
	return more
}

// key reads the key of the member that comes next. It is valid until the next
// call. One that is not UTF-8 stays as it is: no key that is wanted is like that.
func (w *cursor) key() []byte {
	if !w.is('"') {
		w.fail()
		return nil
	}
	start := w.at + 1
	end := scanWords(w.b, start)
	escaped := false
	if end < 0 {
		if end, _, _ = scanText(w.b, start); end < 0 {
			w.at = end
			return nil
		}
		escaped = bytes.IndexByte(w.b[start:end], '\\') >= 0
	}
	w.at = scanColon(w.b, end)
	if escaped {
		w.text = appendText(w.text[:0], w.b[start:end-1])
		return w.text
	}
	return w.b[start : end-1]
}

// value walks past the value that comes next and returns it as it is written.
func (w *cursor) value() rawValue {
	start := w.at
	if start < 0 {
		return nil
	}
	if w.at = scanValue(w.b, start, w.depth); w.at < 0 {
		return nil
	}
	return w.b[start:w.at:w.at]
}

// textLen walks past the value that comes next and returns how many bytes the text
// of a string has, 0 for any other value.
func (w *cursor) textLen() int {
	if !w.is('"') {
		w.value()
		return 0
	}
	start := w.at
	end, ascii := scanWords(w.b, start+1), false
	length := end - start - 2
	if end < 0 {
		end, length, ascii = scanText(w.b, start+1)
	}
	if w.at = end; end < 0 {
		return 0
	}
	if v := rawValue(w.b[start:end]); length < 0 || !ascii && !isUTF8(v) {
		length = v.textLen()
	}
	return length
}

func (w *cursor) fail() {
	if w.at >= 0 {
		w.at = ^w.at
	}
}

// pick walks past the value that comes next and sets the values of those members
// whose keys are wanted, if it is an object: the last one where a key is there
// several times. It reports whether there were other keys.
func (w *cursor) pick(wanted []string, values []rawValue) (others bool) {
	clear(values)
	if !w.is('{') {
		w.value()
		return false
	}
	for more := w.enter('{'); more; more = w.more('}') {
		key, value := w.key(), w.value()
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

// pick does the same with a value.
func (v rawValue) pick(wanted []string, values []rawValue) (others bool) {
	if !v.isObject() {
		return false
	}
	var w cursor
	w.begin(v)
	return w.pick(wanted, values)
}

// elements returns the elements of an array, none of any other value.
func (v rawValue) elements() iter.Seq[rawValue] {
	return func(yield func(rawValue) bool) {
		if !v.isArray() {
			return
		}
		var w cursor
		w.begin(v)
		for more := w.enter('['); more; more = w.more(']') {
			if !yield(w.value()) {
				return
			}
		}
	}
}

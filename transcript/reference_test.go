package transcript

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The reference_ files are a second, simple decoder built on encoding/json. refParse
// must return the same as Parse for every line. The two decoders only share code that
// does not decode: the enums, the interpretation of texts and times, and KeyOf.

// A refObject is a JSON object with undecoded values. It is a map because encoding/json
// ignores letter case when it matches fields of structs, and rejects a whole struct for
// one field of the wrong type.
type refObject map[string]json.RawMessage

// refAs decodes a value whose first byte is first. ok is false for any other value.
func refAs[T any](value []byte, first byte) (v T, ok bool) {
	if len(value) == 0 || value[0] != first {
		return v, false
	}
	err := json.Unmarshal(value, &v)
	return v, err == nil
}

func refString(value []byte) (string, bool) { return refAs[string](value, '"') }

func refList(value []byte) []json.RawMessage {
	list, _ := refAs[[]json.RawMessage](value, '[')
	return list
}

// refObjects returns the elements of an array that are objects.
func refObjects(value []byte) []refObject {
	var out []refObject
	for _, element := range refList(value) {
		if o, ok := refAs[refObject](element, '{'); ok {
			out = append(out, o)
		}
	}
	return out
}

func (o refObject) object(key string) refObject {
	inner, _ := refAs[refObject](o[key], '{')
	return inner
}

func (o refObject) str(key string) string {
	s, _ := refString(o[key])
	return s
}

func (o refObject) is(key, want string) bool { return o.str(key) == want }

func (o refObject) isTrue(key string) bool { return string(o[key]) == "true" }

// count returns the member key as a count. ok is false if it is too large.
func (o refObject) count(key string) (n uint64, ok bool) {
	f, isNumber := refNumber(o[key])
	n, err := strconv.ParseUint(string(o[key]), 10, 64)
	switch {
	case !isNumber, f < 0:
		return 0, true
	case err == nil && n <= maxCount:
		return n, true
	case err == nil, f > maxCount:
		return 0, false
	}
	return uint64(f), true
}

// refNumber returns a number, infinite if it is out of range.
func refNumber(value []byte) (f float64, ok bool) {
	if len(value) == 0 || !strings.ContainsRune("-0123456789", rune(value[0])) {
		return math.NaN(), false
	}
	f, _ = strconv.ParseFloat(string(value), 64)
	return f, true
}

// refScalar returns a string or a number as a label value.
func refScalar(value []byte) (s string, ok bool) {
	if _, ok := refNumber(value); ok {
		return Clean(string(value)), true
	}
	s, ok = refString(value)
	return Clean(s), ok
}

func refIsNull(value []byte) bool { return len(value) == 0 || string(value) == "null" }

// refTruthy reports whether a value is neither absent, null, false, zero nor empty.
func refTruthy(value []byte) bool {
	if f, ok := refNumber(value); ok {
		return f != 0
	}
	var v any
	_ = json.Unmarshal(value, &v) // an absent value leaves nil
	switch v := v.(type) {
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return v != nil && v != false && v != ""
}

// refKeys returns the distinct keys of an object in the order of the line.
func refKeys(object []byte) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	var keys []string
	for d.More() {
		token, _ := d.Token()
		key, _ := token.(string)
		var value json.RawMessage
		_ = d.Decode(&value) // always valid, because the line is
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

package transcript

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// The plain_ files read a line the same in the plainest way, by encoding/json:
// whatever the decoder of this package makes of a line, plainParse has to make of
// it too. They share with it only what is no matter of decoding: the tables, what
// the words of a text mean, and KeyOf.

// A plainObject is a JSON object whose values are not decoded yet. It is a map and
// not a struct because encoding/json matches the fields of structs whatever their
// letter case, and gives up a whole struct for one field of another type.
type refObject map[string]json.RawMessage

// plainAs decodes a value that begins with a certain byte; ok is false for any
// other value.
func refAs[T any](value []byte, begin byte) (v T, ok bool) {
	if len(value) == 0 || value[0] != begin {
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

// plainObjects returns those elements of an array that are objects.
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

// count returns the count at key; ok is false for one that is too large.
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

// plainNumber returns a number, infinite where it is out of range.
func refNumber(value []byte) (f float64, ok bool) {
	if len(value) == 0 || !strings.ContainsRune("-0123456789", rune(value[0])) {
		return math.NaN(), false
	}
	f, _ = strconv.ParseFloat(string(value), 64)
	return f, true
}

// plainScalar returns a string or a number as it stands in a label.
func refScalar(value []byte) (s string, ok bool) {
	if _, ok := refNumber(value); ok {
		return Clean(string(value)), true
	}
	s, ok = refString(value)
	return Clean(s), ok
}

func refIsNull(value []byte) bool { return len(value) == 0 || string(value) == "null" }

// plainTruthy reports whether a value is neither absent, null, false, zero nor empty.
func refTruthy(value []byte) bool {
	if f, ok := refNumber(value); ok {
		return f != 0
	}
	var v any
	_ = json.Unmarshal(value, &v) // what is absent leaves nil
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

func refTime(stamp string) int64 {
	for _, layout := range stampLayouts {
		t, err := time.Parse(layout, stamp)
		if err != nil {
			continue
		}
		if year := t.UTC().Year(); year < 2000 || year > 2100 {
			return 0
		}
		return t.Round(time.Millisecond).UnixMilli()
	}
	return 0
}

package cost

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
)

// member returns a member of an object, nil if there is none.
func member(v any, names ...string) any {
	for _, name := range names {
		o, _ := v.(map[string]any)
		v = o[name]
	}
	return v
}

// text returns a string, "" for any other value.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// truthy reports whether a value is neither null, false, zero nor empty.
func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	default:
		return true
	}
}

// count returns a number without its fraction; 0 for a negative one and any other
// value.
func count(v any) *big.Int {
	number, ok := v.(json.Number)
	if !ok {
		return new(big.Int)
	}
	n := new(big.Int)
	if s := number.String(); strings.ContainsAny(s, ".eE") {
		f, err := number.Float64()
		if err != nil || math.IsInf(f, 0) {
			return n
		}
		n, _ = big.NewFloat(f).Int(nil)
	} else {
		n.SetString(s, 10)
	}
	if n.Sign() < 0 {
		n.SetInt64(0)
	}
	return n
}

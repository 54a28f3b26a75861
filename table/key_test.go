package table

import (
	"math"
	"testing"
)

// Keys are read as they were written, whatever bytes follow, and every truncated key is
// refused.
func TestKeys(t *testing.T) {
	checkKeys(t, UintKey[uint32](), 0, 1, 127, 128, math.MaxUint32)
	checkKeys(t, UintKey[uint64](), 0, 1, math.MaxUint32+1, math.MaxUint64)
	checkKeys(t, HashKey[uint64](), 0, 1, 256, math.MaxUint64)
	checkKeys(t, compactKey(), 1, 256, math.MaxUint64)
	checkKeys(t, StringKey[string](), "", "a", "a\x00", "ab", "b")
	checkKeys(t, PairKey(UintKey[uint32](), HashKey[uint64]()), pair{0, 0}, pair{0, 1}, pair{1, 0}, pair{300, 7})
	checkKeys(t, PairKey(StringKey[string](), UintKey[uint32]()), Pair[string, uint32]{"", 4}, Pair[string, uint32]{"a", 3}, Pair[string, uint32]{"a", 300})
}

// checkKeys checks the encoding of some keys.
func checkKeys[K comparable](t *testing.T, key Key[K], keys ...K) {
	t.Helper()
	for _, k := range keys {
		b := key.append([]byte("x"), k)
		if got, size := key.decode(append(b[1:], "rest"...)); got != k || size != len(b)-1 {
			t.Errorf("%v: got %v of %d bytes, want %d", k, got, size, len(b)-1)
		}
		for cut := 1; cut < len(b); cut++ {
			if got, size := key.decode(b[1:cut]); size > 0 {
				t.Errorf("%v cut at %d: got %v of %d bytes", k, cut, got, size)
			}
		}
	}
}

package counters

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

func TestLoadIncreases(t *testing.T) {
	encoded := func(numbers ...uint64) (b []byte) {
		for _, n := range numbers {
			b = binary.AppendUvarint(b, n)
		}
		return b
	}
	const distance, withSum = 2, 1 // in the first number of an increase
	for _, tt := range []struct {
		name         string
		packed       []byte
		value, total uint64
		valid        bool
	}{
		{"none", nil, 0, 0, true},
		{"one", encoded(5*distance, 7), 7, 0, true},
		{"at the first interval", encoded(0, 7), 7, 0, true},
		{"less than the series", encoded(5*distance, 7), 8, 1, true},
		{"with a sum", encoded(5*distance|withSum, 1, 9), 1, 9, true},
		{"only a sum", encoded(5*distance|withSum, 0, 9), 1, 9, true},
		{"two", encoded(5*distance, 7, distance, 1), 8, 0, true},
		{"at the last interval", encoded(math.MaxUint32*distance, 7), 7, 0, true},
		{"largest numbers", encoded(distance|withSum, math.MaxUint64, math.MaxUint64), math.MaxUint64, math.MaxUint64, true},
		{"more than the series", encoded(5*distance, 7), 6, 0, false},
		{"together more than the series", encoded(5*distance, 7, distance, 2), 8, 0, false},
		{"more than the largest number", encoded(5*distance, math.MaxUint64, distance, 1), math.MaxUint64, 0, false},
		{"a sum above that of the series", encoded(5*distance|withSum, 1, 9), 1, 8, false},
		{"sums above that of the series", encoded(5*distance|withSum, 1, 9, distance|withSum, 1, 1), 2, 9, false},
		{"zero", encoded(5*distance, 0), 1, 0, false},
		{"zero with a sum", encoded(5*distance|withSum, 0, 0), 1, 1, false},
		{"twice the same interval", encoded(5*distance, 1, 0, 1), 2, 0, false},
		{"twice the first interval", encoded(0, 1, 0, 1), 2, 0, false},
		{"after the last interval", encoded(math.MaxUint32*distance, 1, distance, 1), 2, 0, false},
		{"too far", encoded((math.MaxUint32+1)*distance, 1), 1, 0, false},
		{"without a value", encoded(5 * distance), 1, 0, false},
		{"without a sum", encoded(5*distance|withSum, 1), 1, 1, false},
		{"cut off", encoded(5*distance, 300)[:2], 300, 0, false},
		{"cut off distance", encoded(500 * distance)[:1], 300, 0, false},
		{"cut off sum", encoded(5*distance|withSum, 1, 300)[:3], 300, 300, false},
	} {
		h := increases{packed: tt.packed}
		if got := h.load(tt.value, tt.total); got != tt.valid {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.valid)
		}
	}
}

// Loaded increases are in order, not more than their series, and continue like recorded
// increases.
func FuzzLoadIncreases(f *testing.F) {
	f.Add([]byte{10, 7, 2, 1}, uint64(8), uint64(0), uint32(12))
	f.Add([]byte{11, 1, 9}, uint64(1), uint64(9), uint32(0))
	f.Add([]byte{0, 1}, uint64(1), uint64(0), uint32(288))
	f.Fuzz(func(t *testing.T, packed []byte, value, total uint64, fine uint32) {
		h := increases{packed: packed}
		if !h.load(value, total) {
			return
		}
		for n, all := 0, h.all(0); n < len(all); n++ {
			if all[n].isZero() || n > 0 && all[n].at <= all[n-1].at || all[n].value > value || all[n].sum > total {
				t.Fatalf("got %v of %d and %d", all, value, total)
			}
			value, total = value-all[n].value, total-all[n].sum
		}
		want := plainIncreases(h.all(0))
		if value > 0 {
			want = append(want, increase{at: h.end, value: 1})
			h.add(h.end, 1, 0, fine)
		}
		h.merge(fine)
		if got := h.all(0); !slices.Equal(got, want.inOrder(fine)) {
			t.Fatalf("got %v, want %v", got, want.inOrder(fine))
		}
	})
}

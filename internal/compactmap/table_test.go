package compactmap

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// keys returns random keys, among them the smallest and the largest, and clusters
// that differ in their last bits only.
func keys(r *rand.Rand, n int) []Key {
	all := []Key{1, 2, math.MaxUint64, math.MaxUint64 - 1}
	for len(all) < n {
		d := Key(max(1, r.Uint64()))
		for range 1 + r.IntN(2)*r.IntN(40) {
			all = append(all, d)
			if d++; d == 0 {
				break
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// A table behaves like a map with ordered keys.
func TestTable(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		all := keys(r, 20+r.IntN(3000))
		var s table[int]
		want := make(map[Key]int)
		for i := range 4 * len(all) {
			d := all[r.IntN(len(all))]
			if r.IntN(3) == 0 {
				s.Delete(d)
				delete(want, d)
			} else {
				s.Put(d, i)
				want[d] = i
			}
			if i%1000 == 999 {
				s.Shrink()
			}
			if d = all[r.IntN(len(all))]; !sameValue(s.Get(d), want, d) {
				t.Fatalf("seed %d, step %d: %x: got %v, want %v", seed, i, d, s.Get(d), want[d])
			}
		}
		checkTable(t, &s, want)
		for d := range want {
			s.Delete(d)
		}
		s.Shrink()
		if s.n != 0 || s.homes > 4*overhang {
			t.Errorf("seed %d: after deleting all: got %d entries and %d homes", seed, s.n, s.homes)
		}
	}
}

func sameValue(got *int, want map[Key]int, d Key) bool {
	v, ok := want[d]
	return (got != nil) == ok && (got == nil || *got == v)
}

func checkTable(t *testing.T, s *table[int], want map[Key]int) {
	t.Helper()
	var order []Key
	for d, v := range s.All() {
		order = append(order, d)
		if !sameValue(v, want, d) {
			t.Errorf("%x: got %d, want %d", d, *v, want[d])
		}
	}
	if !slices.Equal(order, slices.Sorted(maps.Keys(want))) || s.n != len(want) {
		t.Errorf("got %d entries in %v, want %d", s.n, order, len(want))
	}
	if most := 7*max(s.n, minHomes)/5 + 4*overhang; s.homes > 4*most {
		t.Errorf("%d entries: got %d homes", s.n, s.homes)
	}
}

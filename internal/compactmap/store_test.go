package compactmap

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A store behaves like a map with ordered keys, whose values do not move.
func TestStore(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		all := keys(r, 20+r.IntN(3000))
		var s Store[int]
		want := make(map[Key]int)
		var kept *int // the value of all[0]
		for i := range 4 * len(all) {
			k := all[r.IntN(len(all))]
			switch {
			case r.IntN(3) == 0 && k != all[0]:
				s.Delete(k)
				delete(want, k)
			default:
				s.Put(k, i)
				want[k] = i
			}
			if i%1000 == 999 {
				s.Shrink()
				kept = nil
			}
			if kept == nil {
				kept = s.Get(all[0])
			}
			if k = all[r.IntN(len(all))]; !sameValue(s.Get(k), want, k) || s.Get(all[0]) != kept {
				t.Fatalf("seed %d, step %d: %x: got %v, want %v", seed, i, k, s.Get(k), want[k])
			}
		}
		checkStore(t, &s, want)
		for k := range want {
			s.Delete(k)
		}
		if s.Shrink(); s.Len() != 0 || len(s.chunks) > 1 {
			t.Errorf("seed %d: after deleting all: got %d entries in %d chunks", seed, s.Len(), len(s.chunks))
		}
	}
}

func checkStore(t *testing.T, s *Store[int], want map[Key]int) {
	t.Helper()
	var order []Key
	for k, v := range s.All() {
		order = append(order, k)
		if !sameValue(v, want, k) {
			t.Errorf("%x: got %d, want %d", k, *v, want[k])
		}
	}
	if !slices.Equal(order, slices.Sorted(maps.Keys(want))) || s.Len() != len(want) {
		t.Errorf("got %d entries in %v, want %d", s.Len(), order, len(want))
	}
}

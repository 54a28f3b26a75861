package ledger

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// digests are random ones, among them the least and the largest, and crowds of
// such as differ in their last bits only.
func digests(r *rand.Rand, n int) []digest {
	all := []digest{1, 2, math.MaxUint64, math.MaxUint64 - 1}
	for len(all) < n {
		d := digest(max(1, r.Uint64()))
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

// A sorted map does what a map does.
func TestSorted(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		all := digests(r, 20+r.IntN(3000))
		var s sorted[int]
		want := make(map[digest]int)
		for i := range 4 * len(all) {
			d := all[r.IntN(len(all))]
			if r.IntN(3) == 0 {
				s.delete(d)
				delete(want, d)
			} else {
				s.put(d, i)
				want[d] = i
			}
			if i%1000 == 999 {
				s.fit()
			}
			if d = all[r.IntN(len(all))]; !sameValue(s.get(d), want, d) {
				t.Fatalf("seed %d, step %d: %x is %v, want %v", seed, i, d, s.get(d), want[d])
			}
		}
		checkSorted(t, &s, want)
		for d := range want {
			s.delete(d)
		}
		s.fit()
		if s.n != 0 || s.homes > 4*overhang {
			t.Errorf("seed %d: empty, it has %d entries and %d homes", seed, s.n, s.homes)
		}
	}
}

func sameValue(got *int, want map[digest]int, d digest) bool {
	v, ok := want[d]
	return (got != nil) == ok && (got == nil || *got == v)
}

func checkSorted(t *testing.T, s *sorted[int], want map[digest]int) {
	t.Helper()
	var order []digest
	for d, v := range s.all() {
		order = append(order, d)
		if !sameValue(v, want, d) {
			t.Errorf("%x is %d, want %d", d, *v, want[d])
		}
	}
	if !slices.Equal(order, slices.Sorted(maps.Keys(want))) || s.n != len(want) {
		t.Errorf("there are %d in %v, want %d", s.n, order, len(want))
	}
	if most := 7*max(s.n, fewHomes)/5 + 4*overhang; s.homes > 4*most {
		t.Errorf("%d entries have %d homes", s.n, s.homes)
	}
}

package table

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// keys returns random keys, among them the smallest and the largest, and clusters
// that differ in their last bits only.
func keys(r *rand.Rand, n int) []Hash {
	all := []Hash{1, 2, math.MaxUint64, math.MaxUint64 - 1}
	for len(all) < n {
		d := Hash(max(1, r.Uint64()))
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

// A map behaves like a Go map with ordered keys.
func TestMap(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		all := keys(r, 20+r.IntN(3000))
		var m compactMap[int]
		want := make(map[Hash]int)
		for i := range 4 * len(all) {
			k := all[r.IntN(len(all))]
			if r.IntN(3) == 0 {
				m.Delete(k)
				delete(want, k)
			} else {
				m.Put(k, i)
				want[k] = i
			}
			if i%1000 == 999 {
				m.Shrink()
			}
			k = all[r.IntN(len(all))]
			got, ok := m.Get(k)
			if v, known := want[k]; got != v || ok != known {
				t.Fatalf("seed %d, step %d: %x: got %d, want %d", seed, i, k, got, v)
			}
		}
		check(t, &m, want)
		for k := range want {
			m.Delete(k)
		}
		if m.Shrink(); m.Len() != 0 || m.homes > 2*chunkSize || len(m.chunks) > 2 {
			t.Errorf("seed %d: after deleting all: got %d entries, %d homes and %d chunks", seed, m.n, m.homes, len(m.chunks))
		}
	}
}

func check(t *testing.T, m *compactMap[int], want map[Hash]int) {
	t.Helper()
	var order []Hash
	for k, v := range m.All() {
		order = append(order, k)
		if v != want[k] {
			t.Errorf("%x: got %d, want %d", k, v, want[k])
		}
	}
	if !slices.Equal(order, slices.Sorted(maps.Keys(want))) || m.Len() != len(want) {
		t.Errorf("got %d entries in %v, want %d", m.n, order, len(want))
	}
	if most := 7*max(m.n, minHomes)/5 + 4*overhang; m.homes > 4*most {
		t.Errorf("%d entries: got %d homes", m.n, m.homes)
	}
}

// Deleted values are not kept, and their memory is used again.
func TestDeletedValuesAreFreed(t *testing.T) {
	var m compactMap[*int]
	for i := range 10_000 {
		k := Hash(i%100)<<50 + 1
		m.Put(k, new(int))
		m.Delete(k)
	}
	if len(m.chunks) != 1 || *m.value(0) != nil {
		t.Errorf("got %d chunks, want one without values", len(m.chunks))
	}
}

// The maps of rows behave like a Go map, and free the memory of deleted rows.
func TestRows(t *testing.T) {
	for name, m := range map[string]rows[uint32, int]{
		"plain": new(plain[uint32, int]), "numbered": new(numbered[uint32, int]),
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 4))
			want := make(map[uint32]int)
			for i := range 20_000 {
				k := uint32(r.IntN(3000))
				if i > 10_000 && r.IntN(4) > 0 {
					m.Delete(k)
					delete(want, k)
				} else {
					m.Put(k, i)
					want[k] = i
				}
				k = uint32(r.IntN(3000))
				got, ok := m.Get(k)
				if v, known := want[k]; got != v || ok != known || m.Len() != len(want) {
					t.Fatalf("step %d: %d: got %d of %d, want %d of %d", i, k, got, m.Len(), v, len(want))
				}
			}
			if got := maps.Collect(m.All()); !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			for k := range want {
				m.Delete(k)
			}
			if size := sizeOf(m); m.Len() != 0 || size > minShrunk {
				t.Errorf("got %d rows and room for %d after deleting all", m.Len(), size)
			}
			m.Put(7, 1)
			m.Reset(0)
			m.Put(math.MaxUint32, 2)
			if got := maps.Collect(m.All()); !maps.Equal(got, map[uint32]int{math.MaxUint32: 2}) {
				t.Errorf("got %v after a reset", got)
			}
		})
	}
}

// sizeOf returns the number of rows for which memory is allocated.
func sizeOf(m rows[uint32, int]) int {
	switch m := m.(type) {
	case *plain[uint32, int]:
		return m.most
	case *numbered[uint32, int]:
		return len(m.blocks) * blockSize
	}
	return 0
}

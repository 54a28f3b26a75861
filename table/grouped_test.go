package table

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// A grouped table has the pairs that a table with the same keys has.
func TestGrouped(t *testing.T) {
	g := NewGrouped[uint32](new(Set), 1, HashKey[Hash]())
	want := make(map[Pair[uint32, Hash]]struct{})
	r := rand.New(rand.NewPCG(1, 5))
	for i := range 5000 {
		k := Pair[uint32, Hash]{uint32(r.IntN(30)), Hash(r.IntN(30))}
		switch r.IntN(5) {
		case 0:
			g.Delete(k)
			delete(want, k)
		case 1:
			if r.IntN(20) > 0 {
				break
			}
			g.DeleteAll(k.A)
			maps.DeleteFunc(want, func(p Pair[uint32, Hash], _ struct{}) bool { return p.A == k.A })
			if len(g.Of(k.A)) > 0 {
				t.Fatalf("step %d: got %v", i, g.Of(k.A))
			}
		default:
			g.Put(k, struct{}{})
			want[k] = struct{}{}
		}
		if _, ok := want[k]; g.Has(k) != ok || g.Len() != len(want) {
			t.Fatalf("step %d: got %v and %d keys, want %v and %d", i, g.Has(k), g.Len(), ok, len(want))
		}
	}
	if got := maps.Collect(g.All()); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	g.groups.Reset(0)
	if g.Len() != 0 || len(g.Of(1)) > 0 {
		t.Error("got keys after a reset")
	}
}

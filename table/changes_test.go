package table

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// Changes that are applied to another set give the same rows, after every frame, as
// does a snapshot with the frames that follow.
func TestChanges(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		w, other := filled(seed), newWorld()
		if err := other.load(w.snapshot()); err != nil {
			t.Fatal(err)
		}
		snapshots, frames, states := [][]byte{w.snapshot()}, [][]byte{}, [][]string{w.rows()}
		w.set.Record(true)
		for range 40 {
			for range r.IntN(30) {
				w.change(r)
			}
			frame := w.changes()
			w.set.Commit()
			if err := other.apply(frame); err != nil {
				t.Fatalf("seed %d: %x: %v", seed, frame, err)
			}
			wantSame(t, "applied", other.rows(), w.rows())
			if !slices.Equal(other.labels.Values(), w.labels.Values()) {
				t.Fatalf("seed %d: got values %v, want %v", seed, other.labels.Values(), w.labels.Values())
			}
			snapshots, frames, states = append(snapshots, w.snapshot()), append(frames, frame), append(states, w.rows())
		}
		from, to := r.IntN(len(frames)), len(frames)
		loaded := newWorld()
		if err := loaded.load(snapshots[from]); err != nil {
			t.Fatal(err)
		}
		for i := from; i < to; i++ {
			wantSame(t, "loaded", loaded.rows(), states[i])
			if err := loaded.apply(frames[i]); err != nil {
				t.Fatal(err)
			}
		}
		wantSame(t, "loaded", loaded.rows(), states[to])
	}
}

// Nothing is written while the set does not record, nor for rows that have changed
// back.
func TestNoChanges(t *testing.T) {
	w := filled(1)
	w.accounts.Put(1000, account{n: 1})
	w.set.Record(true)
	w.accounts.Put(1000, account{n: 2})
	w.accounts.Put(1000, account{n: 1})
	w.accounts.Delete(2000)
	w.accounts.Put(3000, account{})
	w.accounts.Delete(3000)
	w.hashed.Delete(7)
	if got := w.changes(); len(got) > 0 {
		t.Errorf("got %x, want nothing", got)
	}
}

// Swap gives the rows at the last commit, another Swap the current rows, and the next
// frame is the same.
func TestSwap(t *testing.T) {
	for seed := range uint64(50) {
		r, w := rand.New(rand.NewPCG(seed, 3)), filled(seed)
		w.set.Record(true)
		for range 10 {
			before := w.rows()
			for range r.IntN(40) {
				w.change(r)
			}
			rows, frame := w.rows(), w.changes()
			w.set.Swap()
			wantSame(t, "swapped", w.rows(), before)
			w.set.Swap()
			wantSame(t, "swapped back", w.rows(), rows)
			if got := w.changes(); !bytes.Equal(got, frame) {
				t.Fatalf("got the frame %x, want %x", got, frame)
			}
			w.set.Commit()
		}
	}
}

// A table behaves like a map.
func TestTable(t *testing.T) {
	for _, recording := range []bool{false, true} {
		r, w := rand.New(rand.NewPCG(1, 4)), newWorld()
		w.set.Record(recording)
		checkTable(t, r, w.accounts, func() uint32 { return r.Uint32N(50) }, func() account { return randomAccount(r) })
		keys := func() uint64 { return uint64(key(r)) }
		checkTable(t, r, w.hashes, keys, func() int64 { return r.Int64N(9) })
		checkTable(t, r, w.hashed, func() Hash { return key(r) }, func() account { return randomAccount(r) })
	}
}

func checkTable[K comparable, V any](t *testing.T, r *rand.Rand, got *Table[K, V], key func() K, value func() V) {
	t.Helper()
	want := make(map[K]V)
	for range 3000 {
		switch k := key(); r.IntN(8) {
		case 0, 1:
			got.Delete(k)
			delete(want, k)
		case 2:
			DeleteFunc(got, func(other K, _ V) bool { return other == k })
			delete(want, k)
		default:
			v := value()
			got.Put(k, v)
			want[k] = v
		}
		k := key()
		v, ok := got.Get(k)
		if wanted, exists := want[k]; ok != exists || got.Has(k) != exists || !reflect.DeepEqual(v, wanted) {
			t.Fatalf("%v: got %v (%v), want %v (%v)", k, v, ok, wanted, exists)
		}
	}
	all := maps.Collect(got.All())
	if !reflect.DeepEqual(all, want) || got.Len() != len(want) {
		t.Errorf("got %d rows: %v, want %v", got.Len(), all, want)
	}
}

// Shrink and Rewrite keep the rows of a table.
func TestShrinkAndRewrite(t *testing.T) {
	r, w := rand.New(rand.NewPCG(1, 5)), newWorld()
	for range 2000 {
		w.hashed.Put(Hash(r.Uint64()), account{n: r.Uint64N(100), name: "a"})
	}
	DeleteFunc(w.hashed, func(_ Hash, a account) bool { return a.n > 10 })
	before := w.rows()
	w.hashed.Shrink()
	wantSame(t, "shrunk", w.rows(), before)
	Rewrite(w.hashed, func(a *account) { a.name += "b" })
	for _, a := range w.hashed.All() {
		if a.name != "ab" || a.n > 10 {
			t.Fatalf("got %+v", a)
		}
	}
	for range w.hashed.All() {
		break
	}
}

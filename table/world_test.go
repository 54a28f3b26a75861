package table

import (
	"math"
	"math/rand/v2"
	"testing"
)

// An account is a row with fields of several types.
type account struct {
	n     uint64
	name  string
	parts []uint64
}

func codeAccount(c *Coder, a *account) {
	Uint(c, 1, &a.n)
	String(c, 2, &a.name)
	Uints(c, 3, &a.parts)
}

// A label is a value of an interner.
type label struct{ name, value string }

func codeLabel(c *Coder, l *label) {
	String(c, 1, &l.name)
	String(c, 2, &l.value)
}

type pair = Pair[uint32, uint64]

// A world has tables of every type, with every type of key.
type world struct {
	set      *Set
	accounts *Table[uint32, account]
	flags    *Table[pair, bool]
	names    *Table[string, account]
	hashes   *Table[uint64, int64]
	hashed   *Table[Hash, account]
	labels   *Interner[label]
}

func newWorld() *world {
	s := new(Set)
	return &world{
		set:      s,
		names:    New(s, 5, StringKey[string](), codeAccount),
		accounts: New(s, 2, UintKey[uint32](), codeAccount),
		flags:    New(s, 3, PairKey(UintKey[uint32](), HashKey[uint64]()), func(c *Coder, b *bool) { Bool(c, 1, b) }),
		hashes:   New(s, 20, HashKey[uint64](), func(c *Coder, n *int64) { Int(c, 1, n) }),
		hashed:   NewHashed(s, 8, codeAccount),
		labels:   NewInterner(s, 1, codeLabel),
	}
}

// rows returns the encodings of all rows, but not the values of interners.
func (w *world) rows() (all []string) {
	for _, m := range w.set.members {
		if m.anyTable != w.labels {
			all = append(all, string(m.appendRows(nil)))
		}
	}
	return all
}

func (w *world) changes() []byte {
	c := NewWriter(nil)
	w.set.CodeChanges(c)
	return c.Bytes()
}

func (w *world) apply(frame []byte) error {
	c := NewReader(frame)
	w.set.CodeChanges(c)
	return c.Done()
}

func (w *world) snapshot() []byte {
	c := NewWriter(nil)
	w.set.Code(c)
	return c.Bytes()
}

func (w *world) load(snapshot []byte) error {
	c := NewReader(snapshot)
	w.set.Code(c)
	return c.Done()
}

// randomAccount returns a row with about one in four fields zero.
func randomAccount(r *rand.Rand) (a account) {
	if r.IntN(2) == 0 {
		a.n = r.Uint64N(3)
	}
	if r.IntN(2) == 0 {
		a.name = "aab"[:r.IntN(4)]
	}
	for range r.IntN(3) * r.IntN(2) {
		a.parts = append(a.parts, r.Uint64N(300))
	}
	return a
}

// key returns one of 40 keys, which are spread over all numbers.
func key(r *rand.Rand) Hash { return Hash(1+r.Uint64N(40)) * (math.MaxUint64 / 41) }

// change changes some row of some table.
func (w *world) change(r *rand.Rand) {
	k := r.Uint32N(30)
	switch r.IntN(11) {
	case 0, 1:
		changeTable(r, w.accounts, k, randomAccount(r))
	case 2, 3:
		changeTable(r, w.flags, pair{k, r.Uint64N(2)}, r.IntN(2) == 0)
	case 4, 5:
		changeTable(r, w.names, "abcdefghijk"[r.IntN(5):][:r.IntN(6)], randomAccount(r))
	case 6:
		changeTable(r, w.hashes, uint64(key(r))*r.Uint64N(2), int64(r.IntN(3)))
	case 7, 8:
		changeTable(r, w.hashed, key(r), randomAccount(r))
	case 9:
		w.labels.ID(label{"l", string(rune('a' + r.IntN(26)))})
	default:
		w.hashed.Shrink()
	}
}

func changeTable[K comparable, V any](r *rand.Rand, t *Table[K, V], k K, v V) {
	switch r.IntN(10) {
	case 0, 1:
		t.Delete(k)
	case 2:
		half := t.Len() / 2
		DeleteFunc(t, func(other K, _ V) bool { return half > 5 && other != k })
	default:
		t.Put(k, v)
	}
}

// filled returns a world after some changes, which are committed.
func filled(seed uint64) *world {
	w, r := newWorld(), rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		w.change(r)
	}
	w.set.Commit()
	return w
}

func wantSame(t *testing.T, name string, got, want []string) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: got rows %x, want %x", name, got[i], want[i])
		}
	}
}

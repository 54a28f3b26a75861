package counters

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// A plainIncreases is increases without an encoding, in the order of recording.
type plainIncreases []increase

// inOrder returns the increases in order, those before fine as coarse intervals.
func (p plainIncreases) inOrder(fine uint32) []increase {
	byInterval := make(map[uint32]increase)
	for _, i := range p {
		at := i.at
		if at < fine {
			at = at / perCoarse * perCoarse
		}
		all := byInterval[at]
		byInterval[at] = increase{at, all.value + i.value, all.sum + i.sum}
	}
	var all []increase
	for _, i := range byInterval {
		if i.value+i.sum > 0 {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b increase) int { return cmp.Compare(a.at, b.at) })
	return all
}

func (p plainIncreases) totals() (value, total uint64) {
	for _, i := range p {
		value, total = value+i.value, total+i.sum
	}
	return value, total
}

// all returns the increases in order, those before fine as coarse intervals.
func (h *increases) all(fine uint32) []increase { return slices.Collect(h.inOrder(fine)) }

// randomIncrease returns an increase shortly after the previous one, or anywhere.
func randomIncrease(r *rand.Rand, previous uint32) increase {
	i := increase{at: previous + r.Uint32N(3), value: r.Uint64N(300)}
	if r.IntN(4) == 0 {
		i.at = r.Uint32N(20 * perDay)
	}
	if r.IntN(3) == 0 {
		i.sum = r.Uint64() >> (8 + r.IntN(56))
	}
	return i
}

// Increases are in order and combined by interval, before the boundary by coarse
// interval, whatever the order of recording. Merging, saving and decoding make no
// difference.
func TestIncreases(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		var once, often increases
		var want plainIncreases
		fine, last := uint32(0), uint32(0)
		for range 1 + r.IntN(600) {
			if r.IntN(100) == 0 {
				fine += r.Uint32N(3) * perDay
			}
			i := randomIncrease(r, last)
			last, want = i.at, append(want, i)
			once.add(i.at, i.value, i.sum, fine)
			often.add(i.at, i.value, i.sum, fine)
			switch r.IntN(20) {
			case 0:
				often.merge(fine)
			case 1:
				often = readBack(t, often, want, fine)
			}
		}
		for _, h := range []*increases{&once, &often} {
			if got := h.all(fine); !slices.Equal(got, want.inOrder(fine)) {
				t.Fatalf("seed %d:\n%s", seed, difftest.Diff(want.inOrder(fine), got))
			}
			h.merge(fine)
		}
		if !bytes.Equal(once.packed, often.packed) {
			t.Fatalf("seed %d: equal increases have different encodings\n%x\n%x", seed, once.packed, often.packed)
		}
		if got := once.all(0); !slices.Equal(got, want.inOrder(fine)) {
			t.Fatalf("seed %d: encoded:\n%s", seed, difftest.Diff(want.inOrder(fine), got))
		}
	}
}

// readBack saves increases that add up to the increases of want, and reads them back.
func readBack(t *testing.T, h increases, want plainIncreases, fine uint32) increases {
	t.Helper()
	h.merge(fine)
	again := increases{packed: bytes.Clone(h.packed)}
	if value, total := want.totals(); !again.load(value, total) {
		t.Fatalf("%x was not read back", h.packed)
	}
	return again
}

// Increases in the order of time are only appended, even while some increases are out
// of order.
func TestIncreasesInOrderAreAppended(t *testing.T) {
	var h increases
	for at := range uint32(1000) {
		h.add(perDay+at, 1, 0, 0)
	}
	h.add(0, 1, 0, 0)
	h.add(perDay+1000, 1, 0, 0)
	h.add(perDay+1001, 1, 0, 0)
	if len(h.outOfOrder) != 1 || h.end != perDay+1000 {
		t.Errorf("got %d increases out of order and the last one at %d, want 1 and %d", len(h.outOfOrder), h.end, perDay+1000)
	}
}

// Few increases are kept out of order, whatever their order.
func TestIncreasesAside(t *testing.T) {
	var h increases
	most := 0
	for at := uint32(20_000); at > 0; at-- {
		h.add(at, 1, 0, 0)
		if len(h.outOfOrder) > max(minOutOfOrder, len(h.packed)/16)+1 {
			t.Fatalf("got %d increases out of order of %d bytes", len(h.outOfOrder), len(h.packed))
		}
		most = max(most, len(h.outOfOrder))
	}
	if most <= minOutOfOrder {
		t.Errorf("got at most %d increases out of order, want more with many increases", most)
	}
}

// Coarse intervals release the memory of the fine intervals that they replace.
func TestMergedIncreasesAreSmall(t *testing.T) {
	var h increases
	for at := range uint32(10 * perDay) {
		h.add(at, 1, 0, 0)
	}
	h.merge(10 * perDay)
	if len(h.all(0)) != 10*48 || cap(h.packed) > 2*len(h.packed) {
		t.Errorf("got %d intervals of %d bytes in %d, want %d in at most twice as many", len(h.all(0)), len(h.packed), cap(h.packed), 10*48)
	}
}

// A copy and its original do not change with each other.
func TestIncreasesClone(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 4))
		var h increases
		var want plainIncreases
		type copied struct {
			increases
			want []increase
		}
		var copies []copied
		for range 300 {
			i := randomIncrease(r, h.last.at)
			h.add(i.at, i.value, i.sum, 0)
			want = append(want, i)
			if r.IntN(10) > 0 {
				continue
			}
			copies = append(copies, copied{h.clone(), want.inOrder(0)})
			other, more := h.clone(), slices.Clone(want)
			for range 1 + r.IntN(20) {
				i := randomIncrease(r, other.last.at)
				other.add(i.at, i.value, i.sum, 0)
				more = append(more, i)
			}
			copies = append(copies, copied{other, more.inOrder(0)})
		}
		for n := range copies {
			if c := &copies[n]; !slices.Equal(c.all(0), c.want) {
				t.Fatalf("seed %d: copy %d has changed:\n%s", seed, n, difftest.Diff(c.want, c.all(0)))
			}
		}
		if got := h.all(0); !slices.Equal(got, want.inOrder(0)) {
			t.Fatalf("seed %d:\n%s", seed, difftest.Diff(want.inOrder(0), got))
		}
	}
}

// Interval numbers are limited to the range of their type.
func TestIntervalOf(t *testing.T) {
	for when, want := range map[int64]uint32{
		math.MinInt64: 0, -1: 0, 0: 0, fineMillis - 1: 0, fineMillis: 1, birth: birth / fineMillis, math.MaxInt64: math.MaxUint32,
	} {
		if got := intervalOf(when); got != want {
			t.Errorf("%d: got %d, want %d", when, got, want)
		}
	}
}

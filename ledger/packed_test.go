package ledger

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/wire"
)

// randomCounted is a message of any size, some with the largest numbers.
func randomCounted(r *rand.Rand) message {
	m := message{file: FileID(r.Uint32() >> r.IntN(32)), origin: r.Uint32() >> r.IntN(32), final: r.IntN(2) == 0}
	for _, n := range m.coded() {
		if r.IntN(3) > 0 {
			*n = r.Uint32() >> r.IntN(32)
		}
	}
	if r.IntN(4) == 0 {
		m.searches, m.fetches = uint16(r.Uint32()), uint16(r.IntN(2))
	}
	return m
}

func randomPaired(r *rand.Rand) tool {
	t := tool{file: FileID(r.Uint32() >> r.IntN(32)), state: toolState(r.IntN(3))}
	if t.state == called {
		t.name, t.time = r.Uint32()>>r.IntN(32), int64(r.Uint64())>>r.IntN(64)
	}
	return t
}

// What is coded takes as many numbers as its first byte says, and comes back.
func TestPackable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 10_000 {
		checkPackable(t, randomCounted(r))
		checkPackable(t, randomPaired(r))
		checkPackable(t, FileID(r.Uint32()>>r.IntN(32)))
	}
	checkPackable(t, message{counts: counts{math.MaxUint32, 1, 0, 2, 3, math.MaxUint32, 0, math.MaxUint16}, file: math.MaxUint32, origin: math.MaxUint32})
}

func checkPackable[V packable[V]](t *testing.T, want V) {
	t.Helper()
	b := want.appendTo(nil)
	ends := 0
	for _, c := range b {
		if c < 0x80 {
			ends++
		}
	}
	if n := want.numbers(b[0]); n != ends {
		t.Errorf("%+v is %x: %d numbers, and not %d", want, b, ends, n)
	}
	if got, size := want.decode(append(b, 0xff)); got != want || size != len(b) {
		t.Errorf("%+v is %x, and comes back as %+v of %d bytes", want, b, got, size)
	}
	for cut := range b {
		if _, size := want.decode(b[:cut]); size != 0 {
			t.Errorf("%d bytes of %x are taken for %d", cut, b, size)
		}
	}
}

// A packed map does what a map does, also across being saved, and the same
// calls give the same bytes.
func TestPacked(t *testing.T) {
	for seed := range uint64(3) {
		playPacked(t, seed, randomCounted)
		playPacked(t, seed, randomPaired)
		playPacked(t, seed, func(r *rand.Rand) FileID { return FileID(r.Uint32()) })
	}
}

func playPacked[V packable[V]](t *testing.T, seed uint64, random func(*rand.Rand) V) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	all := digests(r, 1+r.IntN(30_000))
	var p, other packed[V]
	want := make(map[digest]V)
	for range 2 * len(all) {
		d, v := all[r.IntN(len(all))], random(r)
		p.put(d, v)
		other.put(d, v)
		want[d] = v
		switch r.IntN(3000) {
		case 0:
			p = reread(t, &p)
		case 1:
			goes := random(r)
			drop := func(v V) bool { return v == goes || v.appendTo(nil)[0]%5 == 0 }
			p.drop(drop)
			other.drop(drop)
			maps.DeleteFunc(want, func(_ digest, v V) bool { return drop(v) })
		}
		if r.IntN(20) == 0 {
			p.settle()
			other.settle()
		}
	}
	if p.len() != len(want) {
		t.Errorf("seed %d: there are %d, want %d", seed, p.len(), len(want))
	}
	for _, d := range all {
		got, ok := p.get(d)
		if v, is := want[d]; ok != is || got != v {
			t.Fatalf("seed %d: %x is %+v (%v), want %+v (%v)", seed, d, got, ok, v, is)
		}
	}
	if _, ok := p.get(12345); ok {
		t.Errorf("seed %d: there is what was never put", seed)
	}
	if again := reread(t, &p); !reflect.DeepEqual(again, reread(t, &other)) {
		t.Errorf("seed %d: the same calls gave two maps", seed)
	}
}

func reread[V packable[V]](t *testing.T, p *packed[V]) (again packed[V]) {
	t.Helper()
	w := wire.NewWriter(nil)
	p.code(w, nil)
	c := wire.NewReader(w.Bytes())
	if again.code(c, func(V) bool { return true }); c.Done() != nil {
		t.Fatal(c.Done())
	}
	return again
}

// There are few runs, each much larger than the next.
func TestRunsGrow(t *testing.T) {
	var p packed[FileID]
	r := rand.New(rand.NewPCG(1, 6))
	for i := range 300_000 {
		p.put(digest(r.Uint64()), FileID(i))
		if i%100 == 0 {
			p.settle()
		}
		for j := 1; j < len(p.runs); j++ {
			if p.runs[j-1].n < fold*p.runs[j].n {
				t.Fatalf("run %d holds %d, and the next one %d", j, p.runs[j-1].n, p.runs[j].n)
			}
		}
	}
	if len(p.runs) > 4 || p.recent.n > manyRecent+100 {
		t.Errorf("there are %d runs, and %d in front", len(p.runs), p.recent.n)
	}
}

// Whatever byte is wrong, what is read is refused or is another map.
func TestPackedWithAnyByteWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 10))
	var p packed[message]
	for range 40 {
		p.put(digest(r.Uint64()), randomCounted(r))
	}
	p.pack(func(int, int) bool { return true })
	p.put(1, randomCounted(r))
	w := wire.NewWriter(nil)
	p.code(w, nil)
	for i := range w.Bytes() {
		for _, wrong := range []byte{1, 0x80, 0xff} {
			b := slices.Clone(w.Bytes())
			b[i] ^= wrong
			tryPacked[message](t, b)
		}
	}
}

// Values that are not sound are refused.
func TestPackedSound(t *testing.T) {
	var p, again packed[FileID]
	for d := range digest(100) {
		p.put(d+1, FileID(d))
	}
	p.pack(func(int, int) bool { return true })
	w := wire.NewWriter(nil)
	p.code(w, nil)
	for _, tt := range []struct {
		limit FileID
		want  error
	}{{99, nil}, {98, wire.ErrCorrupt}} {
		c := wire.NewReader(w.Bytes())
		again.code(c, func(f FileID) bool { return f <= tt.limit })
		if !errors.Is(c.Done(), tt.want) {
			t.Errorf("with at most %d: %v, want %v", tt.limit, c.Done(), tt.want)
		}
	}
}

// FuzzPacked reads a map from any bytes and does with it what can be done.
func FuzzPacked(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 7))
	for n := range 4 {
		var p packed[message]
		for range n * 20 {
			p.put(digest(r.Uint64()), randomCounted(r))
		}
		p.pack(func(int, int) bool { return true })
		p.put(digest(r.Uint64()), randomCounted(r))
		w := wire.NewWriter(nil)
		p.code(w, nil)
		f.Add(w.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tryPacked[message](t, b)
		tryPacked[tool](t, b)
		tryPacked[FileID](t, b)
	})
}

func tryPacked[V packable[V]](t *testing.T, b []byte) {
	t.Helper()
	var p packed[V]
	c := wire.NewReader(b)
	if p.code(c, func(V) bool { return true }); c.Done() != nil {
		return
	}
	for i := range p.runs {
		for c := p.runs[i].cursor(); c.next(); {
			v, _ := (*new(V)).decode(c.value)
			if got, ok := p.runs[i].get(c.digest); !ok || got != v {
				t.Fatalf("%x is %+v (%v), want %+v", c.digest, got, ok, v)
			}
		}
	}
	p.get(1)
	p.get(math.MaxUint64)
	p.put(7, *new(V))
	p.drop(func(v V) bool { return v == *new(V) })
	if _, ok := p.get(7); ok {
		t.Error("what was dropped is there")
	}
	if p.len() > len(b) {
		t.Errorf("%d bytes gave %d entries", len(b), p.len())
	}
}

func BenchmarkPacked(b *testing.B) {
	const n = 1_000_000
	r := rand.New(rand.NewPCG(1, 8))
	var p packed[message]
	all := make([]digest, n)
	value := message{counts: counts{input: 10, output: 500, read: 50_000, write5m: 1000}, file: 5000, origin: 30, final: true}
	for i := range all {
		all[i] = digest(r.Uint64())
		p.put(all[i], value)
		if i%100 == 0 {
			p.settle()
		}
	}
	b.Run("hit", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, ok := p.get(all[i*7919%n]); !ok {
				b.Fatal("missed")
			}
		}
		b.ReportMetric(float64(len(p.runs)), "runs")
	})
	b.Run("miss", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			p.get(all[i%n] ^ 0x5555555555)
		}
	})
	b.Run("insert", func(b *testing.B) {
		b.ReportAllocs()
		var p packed[message]
		for i := 0; b.Loop(); i++ {
			p.put(digest(r.Uint64()), value)
			if i%100 == 0 {
				p.settle()
			}
		}
	})
	b.Run(fmt.Sprint("merge ", n), func(b *testing.B) {
		small := packed[message]{runs: p.runs[:1]}
		for range manyRecent {
			small.recent.put(digest(r.Uint64()), value)
		}
		b.ResetTimer()
		for b.Loop() {
			again := small
			again.pack(func(int, int) bool { return true })
		}
	})
}

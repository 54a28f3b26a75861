package compactmap

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A Map behaves like a map, also after it is saved and read, and equal calls give equal
// maps.
func TestMap(t *testing.T) {
	for seed := range uint64(3) {
		checkMap(t, seed, randomRecord)
		checkMap(t, seed, randomNumber)
	}
}

func checkMap[V Value[V]](t *testing.T, seed uint64, random func(*rand.Rand) V) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	all := keys(r, 1+r.IntN(30_000))
	var p, other Map[V]
	want := make(map[Key]V)
	for range 2 * len(all) {
		d, v := all[r.IntN(len(all))], random(r)
		p.Put(d, v)
		other.Put(d, v)
		want[d] = v
		switch r.IntN(3000) {
		case 0:
			p = reread(t, &p)
		case 1:
			goes := random(r)
			drop := func(k Key, v V) bool { return k%7 == 0 || v == goes || v.Append(nil)[0]%5 == 0 }
			p.DeleteFunc(drop)
			other.DeleteFunc(drop)
			maps.DeleteFunc(want, drop)
		}
		if r.IntN(20) == 0 {
			p.Compact()
			other.Compact()
		}
		if r.IntN(1000) == 0 {
			p.Shrink()
			other.Shrink()
		}
	}
	if p.Len() != len(want) {
		t.Errorf("seed %d: got %d entries, want %d", seed, p.Len(), len(want))
	}
	for _, d := range all {
		got, ok := p.Get(d)
		if v, is := want[d]; ok != is || got != v {
			t.Fatalf("seed %d: %x: got %+v (%v), want %+v (%v)", seed, d, got, ok, v, is)
		}
	}
	listed := 0
	for k, v := range p.All() {
		if listed++; want[k] != v {
			t.Fatalf("seed %d: %x: listed %+v, want %+v", seed, k, v, want[k])
		}
	}
	if listed != len(want) {
		t.Errorf("seed %d: listed %d entries, want %d", seed, listed, len(want))
	}
	if _, ok := p.Get(12345); ok {
		t.Errorf("seed %d: found a key that was never put", seed)
	}
	if again := reread(t, &p); !reflect.DeepEqual(again, reread(t, &other)) {
		t.Errorf("seed %d: equal calls gave different maps", seed)
	}
}

func encoded[V Value[V]](p *Map[V]) []byte {
	w := codec.NewWriter(nil)
	p.Code(w, nil)
	return w.Bytes()
}

func reread[V Value[V]](t *testing.T, p *Map[V]) (again Map[V]) {
	t.Helper()
	c := codec.NewReader(encoded(p))
	if again.Code(c, nil); c.Done() != nil {
		t.Fatal(c.Done())
	}
	return again
}

// A map has few segments, each much larger than the next.
func TestSegmentSizes(t *testing.T) {
	var p Map[number]
	r := rand.New(rand.NewPCG(1, 6))
	for i := range 300_000 {
		p.Put(Key(r.Uint64()), number(i))
		if i%100 == 0 {
			p.Compact()
		}
		for j := 1; j < len(p.segments); j++ {
			if p.segments[j-1].n < ratio*p.segments[j].n {
				t.Fatalf("segment %d has %d entries, the next one %d", j, p.segments[j-1].n, p.segments[j].n)
			}
		}
	}
	if len(p.segments) > 4 || p.recent.n > flushSize+100 {
		t.Errorf("got %d segments and %d recent entries", len(p.segments), p.recent.n)
	}
}

// Shrink frees the memory of entries that have newer values.
func TestShrink(t *testing.T) {
	const n = 3 * flushSize
	var p Map[number]
	r := rand.New(rand.NewPCG(1, 9))
	all := keys(r, n)
	for i := range 2 * len(all) {
		p.Put(all[i%len(all)], number(i))
		p.Compact()
	}
	if p.Shrink(); len(p.segments) != 1 || p.segments[0].n > p.n {
		t.Errorf("got %d segments, the first with %d entries of %d", len(p.segments), p.segments[0].n, p.n)
	}
	if p.recent.homes > max(2*p.recent.n, 4*minHomes) {
		t.Errorf("got %d slots for %d recent entries", p.recent.homes, p.recent.n)
	}
	for i, k := range all {
		if v, ok := p.Get(k); !ok || v != number(len(all)+i) {
			t.Fatalf("%x: got %d (%v), want %d", k, v, ok, len(all)+i)
		}
	}
}

// An encoding with a wrong byte is refused or gives a working map.
func TestWrongByte(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 10))
	var p Map[record]
	for range 40 {
		p.Put(Key(r.Uint64()), randomRecord(r))
	}
	p.flush(func(int, int) bool { return true })
	p.Put(1, randomRecord(r))
	valid := encoded(&p)
	for i := range valid {
		for _, wrong := range []byte{1, 0x80, 0xff} {
			b := slices.Clone(valid)
			b[i] ^= wrong
			tryMap[record](t, b)
		}
	}
}

// Invalid values are refused.
func TestInvalidValues(t *testing.T) {
	var p, again Map[number]
	for d := range Key(100) {
		p.Put(d+1, number(d))
	}
	p.flush(func(int, int) bool { return true })
	for _, tt := range []struct {
		limit number
		want  error
	}{{99, nil}, {98, codec.ErrCorrupt}} {
		c := codec.NewReader(encoded(&p))
		again.Code(c, func(f number) bool { return f <= tt.limit })
		if !errors.Is(c.Done(), tt.want) {
			t.Errorf("with a limit of %d: got %v, want %v", tt.limit, c.Done(), tt.want)
		}
	}
}

// A map with an unknown layout is refused as unsupported, not as corrupt.
func TestUnknownLayout(t *testing.T) {
	var m Map[number]
	m.Put(1, 5)
	const layout = "\x08\x07" // of the segment
	for _, tt := range []struct {
		name, from, to string
		want           error
	}{
		{"as it is", layout, layout, nil},
		{"another layout", layout, "\x08\x06", codec.ErrUnsupported},
		{"a field more", "\x08\x01\x12\x1c", "\x08\x01\x12\x1e", codec.ErrUnsupported},
		{"another number of keys", "\x08\x01\x12", "\x08\x02\x12", codec.ErrCorrupt},
	} {
		b := bytes.Replace(encoded(&m), []byte(tt.from), []byte(tt.to), 1)
		if len(tt.to) > 3 {
			b = append(b, 0x20, 1)
		}
		var again Map[number]
		r := codec.NewReader(b)
		if again.Code(r, nil); !errors.Is(r.Done(), tt.want) {
			t.Errorf("%s: %x: got %v, want %v", tt.name, b, r.Done(), tt.want)
		}
	}
}

// FuzzMap decodes a map from any bytes and calls every method.
func FuzzMap(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 7))
	for n := range 4 {
		var p Map[record]
		for range n * 20 {
			p.Put(Key(r.Uint64()), randomRecord(r))
		}
		p.flush(func(int, int) bool { return true })
		p.Put(Key(r.Uint64()), randomRecord(r))
		f.Add(encoded(&p))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tryMap[record](t, b)
		tryMap[number](t, b)
	})
}

func tryMap[V Value[V]](t *testing.T, b []byte) {
	t.Helper()
	var p Map[V]
	c := codec.NewReader(b)
	if p.Code(c, nil); c.Done() != nil {
		return
	}
	for i := range p.segments {
		for c := p.segments[i].cursor(); c.next(); {
			v, _ := (*new(V)).Decode(c.value)
			if got, ok := p.segments[i].get(c.key); !ok || got != v {
				t.Fatalf("%x: got %+v (%v), want %+v", c.key, got, ok, v)
			}
		}
	}
	p.Get(1)
	p.Get(math.MaxUint64)
	p.Put(7, *new(V))
	p.DeleteFunc(func(_ Key, v V) bool { return v == *new(V) })
	if _, ok := p.Get(7); ok {
		t.Error("found a deleted key")
	}
	if p.Len() > len(b) {
		t.Errorf("got %[2]d entries from %[1]d bytes", len(b), p.Len())
	}
}

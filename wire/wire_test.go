package wire

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"reflect"
	"runtime"
	"sync"
	"testing"
)

type (
	number uint16
	name   string
)

// A record uses everything that there is.
type record struct {
	small   uint8
	named   number
	wide    uint32
	large   uint64
	signed  int64
	truth   bool
	real    float64
	text    name
	digest  [4]byte
	blob    []byte
	list    []inner
	table   map[string]map[uint32]inner
	maybe   *inner
	pointer *inner
}

type inner struct {
	n    uint64
	text string
}

func (i *inner) code(c *Coder) {
	Uint(c, &i.n)
	String(c, &i.text)
}

func (r *record) code(c *Coder) {
	Uint(c, &r.small)
	Uint(c, &r.named)
	Uint(c, &r.wide)
	Uint(c, &r.large)
	c.Int(&r.signed)
	c.Bool(&r.truth)
	c.Float(&r.real)
	String(c, &r.text)
	c.Fixed(r.digest[:])
	c.Blob(&r.blob)
	each := func(c *Coder, i *inner) { i.code(c) }
	Slice(c, &r.list, each)
	Map(c, &r.table, String, func(c *Coder, m *map[uint32]inner) { Map(c, m, Uint, each) })
	Optional(c, &r.maybe, each)
	Optional(c, &r.pointer, each)
}

func full() record {
	return record{
		small: math.MaxUint8, named: math.MaxUint16, wide: math.MaxUint32, large: math.MaxUint64,
		signed: math.MinInt64, truth: true, real: -1.5, text: "näme\x00", digest: [4]byte{0, 1, 2, 255},
		blob:  []byte{7, 0, 9},
		list:  []inner{{1, "a"}, {}, {300, "long\nenough"}},
		table: map[string]map[uint32]inner{"": {}, "k": {7: {8, "x"}, 0: {}}},
		maybe: &inner{5, "y"},
	}
}

func encode(r *record) []byte {
	c := NewWriter(nil)
	r.code(c)
	return c.Bytes()
}

func TestRecord(t *testing.T) {
	for _, want := range []record{full(), {table: map[string]map[uint32]inner{}}} {
		b := encode(&want)
		got := record{list: []inner{{9, "is replaced"}}, maybe: &inner{}, pointer: &inner{}}
		c := NewReader(b)
		got.code(c)
		if err := c.Done(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
		}
	}
}

// A map's bytes do not depend on anything but what is in it.
func TestMapsInOrder(t *testing.T) {
	want := make(map[int]byte)
	for i := range 100 {
		want[i] = byte(i)
	}
	key := func(c *Coder, k *int) { v := int64(*k); c.Int(&v) }
	var written []byte
	for range 3 {
		again := maps.Clone(want) // which is laid out otherwise
		c := NewWriter(nil)
		Map(c, &again, key, Uint)
		if written == nil {
			written = c.Bytes()
		}
		if !bytes.Equal(c.Bytes(), written) || c.Bytes()[1] != 0 {
			t.Fatalf("it was written as %x, and as %x", written, c.Bytes())
		}
	}
}

// Writing only reads: the race detector sees to it that two may write the same
// value at a time.
func TestWritersShare(t *testing.T) {
	shared := full()
	var writers sync.WaitGroup
	var written [2][]byte
	for i := range written {
		writers.Go(func() { written[i] = encode(&shared) })
	}
	writers.Wait()
	for _, b := range written {
		if len(b) == 0 || !bytes.Equal(b, written[0]) {
			t.Errorf("%x was written, and %x", written[0], b)
		}
	}
	if want := full(); !reflect.DeepEqual(shared, want) {
		t.Errorf("writing made %+v of %+v", shared, want)
	}
}

// roundTrip writes a value behind a prefix and reads it back.
func roundTrip[T any](t *testing.T, value T, length int, visit func(*Coder, *T)) {
	t.Helper()
	c := NewWriter([]byte("prefix"))
	visit(c, &value)
	if c.Reading() || c.Done() != nil || len(c.Bytes()) != len("prefix")+length {
		t.Errorf("%v was written as %q, %v; want %d bytes", value, c.Bytes(), c.Err(), length)
	}
	b := c.Bytes()[len("prefix"):]
	var got T
	r := NewReader(b)
	visit(r, &got)
	if !r.Reading() || r.Done() != nil || !reflect.DeepEqual(got, value) {
		t.Errorf("%v came back as %v, %v", value, got, r.Err())
	}
	r = NewReader(append(b[:length:length], 0))
	visit(r, &got)
	if r.Err() != nil || len(r.Bytes()) != 1 || !errors.Is(r.Done(), ErrCorrupt) {
		t.Errorf("%v: a byte left over gave %v", value, r.Err())
	}
}

func TestUint(t *testing.T) {
	for _, tt := range []struct {
		value  uint64
		length int
	}{{0, 1}, {1, 1}, {127, 1}, {128, 2}, {1 << 14, 3}, {math.MaxUint32, 5}, {math.MaxUint64, 10}} {
		roundTrip(t, tt.value, tt.length, Uint)
	}
	roundTrip(t, uint8(200), 2, Uint)
	roundTrip(t, number(77), 1, Uint)
}

func TestInt(t *testing.T) {
	visit := func(c *Coder, v *int64) { c.Int(v) }
	for _, tt := range []struct {
		value  int64
		length int
	}{{0, 1}, {-1, 1}, {63, 1}, {64, 2}, {-64, 1}, {math.MaxInt64, 10}, {math.MinInt64, 10}} {
		roundTrip(t, tt.value, tt.length, visit)
	}
}

func TestOtherKinds(t *testing.T) {
	roundTrip(t, true, 1, (func(c *Coder, v *bool) { c.Bool(v) }))
	roundTrip(t, false, 1, (func(c *Coder, v *bool) { c.Bool(v) }))
	roundTrip(t, math.Inf(-1), 10, (func(c *Coder, v *float64) { c.Float(v) }))
	roundTrip(t, 0.1, 9, (func(c *Coder, v *float64) { c.Float(v) }))
	roundTrip(t, "", 1, String)
	roundTrip(t, "näme", 6, String)
	roundTrip(t, name("x"), 2, String)
	roundTrip(t, [3]byte{1, 2, 3}, 3, func(c *Coder, v *[3]byte) { c.Fixed(v[:]) })
	roundTrip(t, []byte{1, 2, 200}, 4, func(c *Coder, v *[]byte) { c.Blob(v) })
	roundTrip(t, []byte(nil), 1, func(c *Coder, v *[]byte) { c.Blob(v) })
	roundTrip(t, []string{"a", ""}, 4, func(c *Coder, v *[]string) { Slice(c, v, String) })
	roundTrip(t, []string(nil), 1, func(c *Coder, v *[]string) { Slice(c, v, String) })
	roundTrip(t, map[string]uint8{"a": 1}, 4, func(c *Coder, v *map[string]uint8) { Map(c, v, String, Uint) })
	roundTrip(t, &inner{1, "a"}, 4, func(c *Coder, v **inner) { Optional(c, v, func(c *Coder, i *inner) { i.code(c) }) })
	roundTrip(t, (*inner)(nil), 1, func(c *Coder, v **inner) { Optional(c, v, func(c *Coder, i *inner) { i.code(c) }) })
}

func TestZeroCoderWrites(t *testing.T) {
	var c Coder
	n := uint8(3)
	Uint(&c, &n)
	if string(c.Bytes()) != "\x03" || c.Done() != nil {
		t.Errorf("wrote %q", c.Bytes())
	}
}

func TestCorrupt(t *testing.T) {
	for _, tt := range []struct {
		name  string
		bytes string
		visit func(*Coder)
	}{
		{"nothing left", "", func(c *Coder) { var v uint8; Uint(c, &v) }},
		{"a number that does not end", "\x80\x80", func(c *Coder) { var v uint64; Uint(c, &v) }},
		{"a number of more than 64 bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", func(c *Coder) { var v uint64; Uint(c, &v) }},
		{"a number too wide for its type", "\x80\x02", func(c *Coder) { var v uint8; Uint(c, &v) }},
		{"a signed number that does not end", "\xff", func(c *Coder) { var v int64; c.Int(&v) }},
		{"neither true nor false", "\x02", func(c *Coder) { var v bool; c.Bool(&v) }},
		{"a text longer than what is left", "\x03ab", func(c *Coder) { var v string; String(c, &v) }},
		{"a length beyond any", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", func(c *Coder) { var v string; String(c, &v) }},
		{"fixed bytes", "ab", func(c *Coder) { c.Fixed(make([]byte, 3)) }},
		{"bytes more than are left", "\x03ab", func(c *Coder) { var v []byte; c.Blob(&v) }},
		{"a list longer than what is left", "\x03ab", func(c *Coder) { var v []uint8; Slice(c, &v, Uint) }},
		{"a list with a bad element", "\x02\x01\x80", func(c *Coder) { var v []uint8; Slice(c, &v, Uint) }},
		{"a map with a bad value", "\x01\x01\x80", func(c *Coder) { var v map[uint8]uint8; Map(c, &v, Uint, Uint) }},
		{"a map without its value", "\x01\x01", func(c *Coder) { var v map[uint8]uint8; Map(c, &v, Uint, Uint) }},
		{"something there that is not", "\x01", func(c *Coder) { var v *uint8; Optional(c, &v, Uint) }},
		{"told so", "rest", func(c *Coder) { c.Fail() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := NewReader([]byte(tt.bytes))
			tt.visit(c)
			if !errors.Is(c.Err(), ErrCorrupt) || !errors.Is(c.Done(), ErrCorrupt) || len(c.Bytes()) != 0 {
				t.Errorf("got %v with %q left", c.Err(), c.Bytes())
			}
			// Whatever is read after that is nothing.
			after := full()
			after.digest = [4]byte{}
			after.code(c)
			if want := (record{table: map[string]map[uint32]inner{}}); !reflect.DeepEqual(after, want) {
				t.Errorf("read %+v after the failure", after)
			}
		})
	}
}

func TestTruncated(t *testing.T) {
	want := full()
	b := encode(&want)
	for cut := range b {
		var got record
		c := NewReader(b[:cut])
		got.code(c)
		if !errors.Is(c.Done(), ErrCorrupt) {
			t.Errorf("cut at %d of %d: %v", cut, len(b), c.Done())
		}
	}
}

// What is read does not depend on the bytes any more.
func TestReadIsCopied(t *testing.T) {
	want := full()
	b := encode(&want)
	var got record
	c := NewReader(b)
	got.code(c)
	clear(b)
	if c.Done() != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, c.Err())
	}
}

// Lengths that lie take no memory.
func TestMemoryIsBounded(t *testing.T) {
	const size = 1 << 16
	hostile := make([]byte, size)
	for i := 0; i+2 < size; i += 3 { // every length claims nearly all that is left
		copy(hostile[i:], []byte{0x80, 0xf0, 0x03})
	}
	for _, visit := range []func(*Coder){
		func(c *Coder) { var v [][][]string; Slice(c, &v, nested) },
		func(c *Coder) {
			var v map[uint32]map[uint32]uint32
			Map(c, &v, Uint, func(c *Coder, m *map[uint32]uint32) { Map(c, m, Uint, Uint) })
		},
		func(c *Coder) { var r record; r.code(c) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c := NewReader(hostile)
		visit(c)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 64*size {
			t.Errorf("%d bytes of input took %d of memory", size, took)
		}
		if !errors.Is(c.Done(), ErrCorrupt) {
			t.Error("the input was taken")
		}
	}
}

func nested(c *Coder, v *[][]string) {
	Slice(c, v, func(c *Coder, v *[]string) { Slice(c, v, String) })
}

func FuzzReader(f *testing.F) {
	r := full()
	f.Add(encode(&r))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var got record
		c := NewReader(b)
		got.code(c)
		if len(got.list) > len(b) || len(got.table) > len(b) || len(got.text) > len(b) {
			t.Fatalf("%d bytes hold more than that", len(b))
		}
		if c.Done() != nil {
			return
		}
		var again record
		c = NewReader(encode(&got))
		again.code(c)
		if c.Done() != nil || !math.IsNaN(got.real) && !reflect.DeepEqual(got, again) {
			t.Errorf("%+v came back as %+v, %v", got, again, c.Err())
		}
	})
}

func BenchmarkCoder(b *testing.B) {
	r := full()
	encoded := encode(&r)
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c := NewWriter(encoded[:0:cap(encoded)])
			r.code(c)
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var got record
			got.code(NewReader(encoded))
		}
	})
}

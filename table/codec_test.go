package table

import (
	"bytes"
	"math"
	"reflect"
	"sync"
	"testing"
)

func TestRecord(t *testing.T) {
	for _, want := range []record{full(), {}} {
		b := encode(&want)
		got := record{list: []inner{{n: 9}}, text: "replaced", raw: []byte{1}}
		c := NewReader(b)
		got.code(c)
		if err := c.Done(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
		}
	}
	if b := encode(new(record)); len(b) != 0 {
		t.Errorf("the zero record is encoded as %x", b)
	}
}

// roundTrip writes a value after a prefix, compares it with its protobuf encoding, and
// reads it back.
func roundTrip[T any](t *testing.T, value T, want string, visit func(*Coder, *T)) {
	t.Helper()
	c := NewWriter([]byte("prefix"))
	visit(c, &value)
	if c.Reading() || c.Done() != nil || string(c.Bytes()) != "prefix"+want {
		t.Errorf("%v was written as %q, %v; want %q", value, c.Bytes(), c.Err(), want)
	}
	got := value
	r := NewReader([]byte(want))
	visit(r, &got)
	if !r.Reading() || r.Done() != nil || !reflect.DeepEqual(got, value) {
		t.Errorf("%v came back as %v, %v", value, got, r.Err())
	}
}

func TestScalars(t *testing.T) {
	ints := func(c *Coder, v *int64) { Int(c, 1, v) }
	uints := func(c *Coder, v *uint64) { Uint(c, 1, v) }
	roundTrip(t, 0, "", uints)
	roundTrip(t, 1, "\x08\x01", uints)
	roundTrip(t, 127, "\x08\x7f", uints)
	roundTrip(t, 128, "\x08\x80\x01", uints)
	roundTrip(t, math.MaxUint64, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", uints)
	roundTrip(t, uint8(200), "\x78\xc8\x01", func(c *Coder, v *uint8) { Uint(c, 15, v) })
	roundTrip(t, level(77), "\x80\x01\x4d", func(c *Coder, v *level) { Uint(c, 16, v) })
	roundTrip(t, 5, "\x08\x05", ints)
	roundTrip(t, -1, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", ints)
	roundTrip(t, math.MinInt64, "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", ints)
	roundTrip(t, true, "\x08\x01", func(c *Coder, v *bool) { Bool(c, 1, v) })
	roundTrip(t, false, "", func(c *Coder, v *bool) { Bool(c, 1, v) })
	roundTrip(t, [8]byte{1, 7: 2}, "\x09\x01\x00\x00\x00\x00\x00\x00\x02", func(c *Coder, v *[8]byte) { Fixed64(c, 1, v) })
	roundTrip(t, [4]byte{1}, "\x0d\x01\x00\x00\x00", func(c *Coder, v *[4]byte) { Fixed32(c, 1, v) })
	roundTrip(t, name("näme"), "\x0a\x05n\xc3\xa4me", func(c *Coder, v *name) { String(c, 1, v) })
	roundTrip(t, "", "", func(c *Coder, v *string) { String(c, 1, v) })
	roundTrip(t, []byte{1, 2, 200}, "\x0a\x03\x01\x02\xc8", func(c *Coder, v *[]byte) { Bytes(c, 1, v) })
	roundTrip(t, []byte(nil), "", func(c *Coder, v *[]byte) { Bytes(c, 1, v) })
}

func TestLists(t *testing.T) {
	each := func(c *Coder, i *inner) { i.code(c) }
	roundTrip(t, []string{"a", ""}, "\x0a\x01a\x0a\x00", func(c *Coder, v *[]string) { Strings(c, 1, v) })
	roundTrip(t, []uint64{0, 300}, "\x0a\x03\x00\xac\x02", func(c *Coder, v *[]uint64) { Uints(c, 1, v) })
	roundTrip(t, []float64{1}, "\x0a\x08\x00\x00\x00\x00\x00\x00\xf0\x3f", func(c *Coder, v *[]float64) { Floats(c, 1, v) })
	roundTrip(t, []inner{{n: 1}, {}}, "\x0a\x02\x08\x01\x0a\x00", func(c *Coder, v *[]inner) { Slice(c, 1, v, each) })
	roundTrip(t, []inner(nil), "", func(c *Coder, v *[]inner) { Slice(c, 1, v, each) })
}

// Writers do not modify values: the race detector checks two concurrent writers.
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
			t.Errorf("got %x, want %x", b, written[0])
		}
	}
}

func TestZeroCoderWrites(t *testing.T) {
	var c Coder
	n := uint8(3)
	Uint(&c, 1, &n)
	if string(c.Bytes()) != "\x08\x03" || c.Done() != nil {
		t.Errorf("wrote %q", c.Bytes())
	}
}

// Values do not refer to the input after reading.
func TestReadIsCopied(t *testing.T) {
	want := full()
	b := encode(&want)
	var got record
	c := NewReader(b)
	got.code(c)
	err := c.Done()
	clear(b)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

package codec

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func TestRecord(t *testing.T) {
	for _, want := range []record{full(), {}} {
		b := encode(&want)
		got := record{list: []inner{{n: 9}}, value: inner{n: 5}, text: "replaced", raw: []byte{1}}
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
	roundTrip(t, inner{}, "", func(c *Coder, v *inner) { Message(c, 1, v, each) })
	roundTrip(t, inner{n: 3}, "\x0a\x02\x08\x03", func(c *Coder, v *inner) { Message(c, 1, v, each) })
}

// The size hint of Large does not affect the encoding.
func TestLarge(t *testing.T) {
	for _, size := range []int{0, 1, 123, 124, 125, 126, 127, 128, 16380, 16384, 1 << 21} {
		text := strings.Repeat("x", size)
		want := protowire.AppendBytes([]byte{0x0a}, protowire.AppendString([]byte{0x0a}, text))
		for _, hint := range []int{0, 1, 127, 128, size, 1 << 14, 1 << 21, 1 << 30} {
			c := NewWriter(nil)
			Large(c, 1, hint, &text, func(c *Coder, s *string) { Strings(c, 1, &[]string{*s}) })
			if !bytes.Equal(c.Bytes(), want) {
				t.Errorf("%d bytes with hint %d: got an encoding of %d bytes, want %d", size, hint, len(c.Bytes()), len(want))
			}
		}
	}
}

// Writers do not modify values: the race detector checks two concurrent ones.
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

func TestCorrupt(t *testing.T) {
	const long = "\xff\xff\xff\xff\xff\xff\xff\xff\xff"
	for _, tt := range []struct{ name, bytes string }{
		{"an unterminated tag", "\x80"},
		{"a tag in more bytes than it needs", "\x88\x00\x01"},
		{"field 0", "\x00\x01"},
		{"a field beyond the last", "\x80\x80\x80\x80\x10\x01"},
		{"a missing number", "\x08"},
		{"an unterminated number", "\x20\x80\x80"},
		{"a number of more than 64 bits", "\x20" + long + "\x7f"},
		{"a number in more bytes than it needs", "\x20\x81\x00"},
		{"a number too wide for its type", "\x08\x80\x02"},
		{"zero", "\x08\x00"},
		{"false", "\x30\x00"},
		{"neither true nor false", "\x30\x02"},
		{"four zero bytes", "\x55\x00\x00\x00\x00"},
		{"less than four bytes", "\x55\x01\x00"},
		{"an empty text", "\x42\x00"},
		{"a text longer than the input", "\x42\x03ab"},
		{"an impossible length", "\x42" + long + "\x01"},
		{"a number instead of a text", "\x40\x01"},
		{"a text instead of a number", "\x0a\x01a"},
		{"a number of eight bytes", "\x09\x01\x00\x00\x00\x00\x00\x00\x00"},
		{"a field twice", "\x08\x01\x08\x01"},
		{"a text twice", "\x42\x01a\x42\x01b"},
		{"eight bytes twice", "\x49\x01\x00\x00\x00\x00\x00\x00\x00\x49\x01\x00\x00\x00\x00\x00\x00\x00"},
		{"a message twice", "\x62\x02\x08\x01\x62\x02\x08\x01"},
		{"packed numbers twice", "\xa2\x01\x01\x01\xa2\x01\x01\x01"},
		{"fields that descend", "\x10\x01\x08\x01"},
		{"an empty message", "\x62\x00"},
		{"a list longer than the input", "\x72\x03\x08\x01"},
		{"a bad element", "\x72\x01\x08"},
		{"a list in two parts", "\x72\x00\x7a\x02a\x00\x72\x00"},
		{"no packed numbers", "\xa2\x01\x00"},
		{"unterminated packed numbers", "\xa2\x01\x02\x01\x80"},
		{"only an unterminated packed number", "\xa2\x01\x03\x9b\x9b\x9b"},
		{"packed numbers in more bytes than they need", "\xa2\x01\x02\x81\x00"},
		{"packed numbers too wide", "\xa2\x01\x06\xff\xff\xff\xff\xff\x01"},
		{"packed floating-point numbers of 9 bytes", "\xaa\x01\x09aaaaaaaab"},
		{"no packed floating-point numbers", "\xaa\x01\x00"},
		{"an empty raw field", "\x7a\x00"},
		{"a raw field longer than the input", "\x7a\x03a\x00"},
		{"a raw field twice", "\x7a\x02a\x00\x7a\x02a\x00"},
		{"a number instead of a raw field", "\x78\x01"},
		{"an unterminated unknown field", "\x6a\x03a"},
		{"a group", "\x6b\x6c"},
		{"the end of a group", "\x6c"},
		{"an unknown type", "\x6e\x01"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := NewReader([]byte(tt.bytes))
			var r record
			if r.code(c); !errors.Is(c.Done(), ErrCorrupt) {
				t.Errorf("got %+v, %v", r, c.Err())
			}
			// All fields that are read afterwards are missing.
			after := full()
			after.code(c)
			if want := (record{raw: after.raw}); !reflect.DeepEqual(after, want) {
				t.Errorf("read %+v after the failure", after)
			}
		})
	}
}

func TestFail(t *testing.T) {
	c := NewReader([]byte("\x08\x01\x10\x01"))
	var v uint8
	Uint(c, 1, &v)
	c.Fail()
	c.Unsupported("later")
	if Uint(c, 2, &v); v != 0 || !errors.Is(c.Done(), ErrCorrupt) {
		t.Errorf("read %d, %v", v, c.Err())
	}
	c = NewReader(nil)
	c.Unsupported("layout %d", 3)
	if err := c.Done(); !errors.Is(err, ErrUnsupported) || err.Error() != "layout 3: written by a newer version" {
		t.Errorf("got %v", err)
	}
}

// A truncated encoding is either rejected or that of fewer fields.
func TestTruncated(t *testing.T) {
	want := full()
	b := encode(&want)
	for cut := range b {
		got, err := decode(b[:cut])
		if err == nil && !bytes.Equal(encode(&got), b[:cut]) {
			t.Errorf("cut at %d of %d: %+v", cut, len(b), got)
		}
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

// A field that is not visited is refused, wherever it is.
func TestUnknownField(t *testing.T) {
	const known, unknown = "\x08\x01", "\x10\x01"
	for _, tt := range []struct {
		name, bytes, want string
	}{
		{"at the beginning", unknown + "\x1a\x01a", "field 2: written by a newer version"},
		{"in the middle", known + unknown + "\x1a\x01a", "field 2: written by a newer version"},
		{"at the end", known + "\x30\x01", "field 6: written by a newer version"},
		{"after a list", "\x22\x02\x08\x01\x28\x01", "field 5: written by a newer version"},
		{"in a message", "\x22\x02\x18\x01", "field 3: written by a newer version"},
		{"with a large number", "\xf8\xff\xff\xff\x0f\x01", "field 536870911: written by a newer version"},
		{"none", known + "\x1a\x01a\x22\x00", ""},
	} {
		c := NewReader([]byte(tt.bytes))
		var n uint8
		var text string
		var list []inner
		Uint(c, 1, &n)
		String(c, 3, &text)
		Slice(c, 4, &list, func(c *Coder, i *inner) { i.code(c) })
		switch err := c.Done(); {
		case tt.want == "" && err != nil:
			t.Errorf("%s: got %v", tt.name, err)
		case tt.want != "" && (!errors.Is(err, ErrUnsupported) || err.Error() != tt.want):
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

// A short input that decodes to much memory is rejected before the allocation.
func TestMemoryIsBounded(t *testing.T) {
	type huge struct {
		_    [100]uint64
		list []inner
	}
	const size = 1 << 16
	for name, element := range map[string]string{
		"empty elements": "\x0a\x00", "small elements": "\x0a\x02\x0a\x00", "unknown fields": "\x18\x01",
		"elements with unknown fields": "\x0a\x02\x18\x01", "empty strings": "\x12\x00",
		"wrong lengths": "\x0a\xf0\x7f", "packed": "\x2a\x80\x80\x04" + strings.Repeat("\x00", size),
	} {
		t.Run(name, func(t *testing.T) {
			hostile := []byte(strings.Repeat(element, max(1, size/len(element))))
			visit := func(c *Coder) {
				var all []huge
				var names []string
				var packed []uint64
				Slice(c, 1, &all, func(c *Coder, h *huge) {
					Slice(c, 1, &h.list, func(c *Coder, i *inner) { i.code(c) })
				})
				Strings(c, 2, &names)
				Uints(c, 5, &packed)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c := NewReader(hostile)
			visit(c)
			err := c.Done()
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 64*uint64(len(hostile)) {
				t.Errorf("reading %d bytes allocated %d bytes, %v", len(hostile), took, err)
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	r := full()
	f.Add(encode(&r))
	f.Add(append(encode(&r), 0xd0, 0xb8, 0x02, 1)) // an unknown field
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := decode(b)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<18+64*uint64(len(b)) {
			t.Errorf("reading %d bytes allocated %d bytes", len(b), took)
		}
		if err == nil && !bytes.Equal(encode(&got), b) {
			t.Errorf("%x came back as %x", b, encode(&got))
		}
	})
}

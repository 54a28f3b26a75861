package table

import (
	"bytes"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

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
		{"packed numbers twice", "\xa2\x01\x01\x01\xa2\x01\x01\x01"},
		{"fields that descend", "\x10\x01\x08\x01"},
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
			// All fields after the error are missing.
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

// A truncated encoding is either rejected or encodes fewer fields.
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

// A field that is not visited is refused, at any position.
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

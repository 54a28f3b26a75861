package codec

import (
	"bytes"
	"errors"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// older is the record of a version that only knows some of the fields.
type older struct {
	named   level
	truth   bool
	text    name
	list    []short
	table   map[string]uint64
	extra   Unknowns[string]
	unknown []byte
}

type short struct {
	text    string
	unknown []byte
}

func (o *older) code(c *Coder) {
	c.Unknown(&o.unknown)
	Uint(c, 2, &o.named)
	Bool(c, 6, &o.truth)
	String(c, 8, &o.text)
	Slice(c, 14, &o.list, func(c *Coder, s *short) {
		c.Unknown(&s.unknown)
		String(c, 2, &s.text)
	})
	Map(c, 15, &o.table, &o.extra, func(c *Coder, k *string, v *uint64) {
		String(c, 1, k)
		Uint(c, 100, v)
	})
}

// An older version that reads and writes a newer record only changes the fields that it
// sets.
func TestUnknownIsKept(t *testing.T) {
	r := full()
	r.list[0].unknown = protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), 5)
	b := encode(&r)
	var o older
	c := NewReader(b)
	if o.code(c); c.Done() != nil {
		t.Fatal(c.Err())
	}
	again := NewWriter(nil)
	if o.code(again); again.Done() != nil || !bytes.Equal(again.Bytes(), b) {
		t.Errorf("%x came back as %x", b, again.Bytes())
	}
	o.named, o.text = 0, "other"
	o.list[0].text = "changed"
	r.named, r.text = 0, "other"
	r.list[0].text = "changed"
	again = NewWriter(nil)
	if o.code(again); again.Done() != nil || !bytes.Equal(again.Bytes(), encode(&r)) {
		t.Errorf("%x was written, want %x", again.Bytes(), encode(&r))
	}
}

// Unknown fields are written in order, whichever fields are known.
func TestUnknownOrder(t *testing.T) {
	for known := range 1 << 5 {
		var b []byte
		for n := range 5 {
			b = protowire.AppendVarint(protowire.AppendTag(b, Number(n+1), protowire.VarintType), uint64(n+1))
			b = protowire.AppendString(protowire.AppendTag(b, Number(n+10), protowire.BytesType), "x")
			if n%2 == 0 { // repeated
				b = protowire.AppendString(protowire.AppendTag(b, Number(n+10), protowire.BytesType), "")
			}
		}
		b = sortFields(b)
		var values [5]uint64
		var unknown []byte
		visit := func(c *Coder) {
			c.Unknown(&unknown)
			for n := range values {
				if known&(1<<n) != 0 {
					Uint(c, Number(n+1), &values[n])
				}
			}
		}
		c := NewReader(b)
		if visit(c); c.Done() != nil {
			t.Fatal(c.Err())
		}
		w := NewWriter(nil)
		visit(w)
		if _ = w.Done(); !bytes.Equal(w.Bytes(), b) {
			t.Errorf("%b: %x came back as %x", known, b, w.Bytes())
		}
	}
}

func sortFields(b []byte) (sorted []byte) {
	for n := Number(1); n < 100; n++ {
		for rest := b; len(rest) > 0; {
			number, _, size := protowire.ConsumeField(rest)
			if number == n {
				sorted = append(sorted, rest[:size]...)
			}
			rest = rest[size:]
		}
	}
	return sorted
}

// Without Unknown, a reader ignores unknown fields, or rejects them after Closed.
func TestUnknownIgnoredOrRefused(t *testing.T) {
	for _, closed := range []bool{false, true} {
		c := NewReader([]byte("\x08\x01\x10\x01"))
		var v uint8
		if closed {
			c.Closed()
		}
		Uint(c, 1, &v)
		if err := c.Done(); errors.Is(err, ErrUnsupported) != closed || !closed && err != nil {
			t.Errorf("closed %v: read %d, %v", closed, v, err)
		}
	}
}

func TestNext(t *testing.T) {
	c := NewReader([]byte("\x28\x01"))
	if n := c.Next(); n != 5 {
		t.Errorf("the next field is %d, want 5", n)
	}
	var v uint8
	if Uint(c, 5, &v); c.Next() != 0 || c.Done() != nil {
		t.Errorf("the next field is %d, %v", c.Next(), c.Err())
	}
}

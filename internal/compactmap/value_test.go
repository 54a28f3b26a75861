package compactmap

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// A number is a value that takes one varint.
type number uint32

func (number) Layout() uint32           { return 7 }
func (number) Varints(byte) int         { return 1 }
func (n number) Append(b []byte) []byte { return binary.AppendUvarint(b, uint64(n)) }

func (number) Decode(b []byte) (number, int) {
	d := NewDecoder(b)
	n := number(d.Uint(math.MaxUint32))
	return n, d.Size()
}

func randomNumber(r *rand.Rand) number { return number(r.Uint32() >> r.IntN(32)) }

// A record is a value of up to five varints: a bit set of the fields that are not
// zero, and those fields. The last one is signed.
type record [4]int64

func (record) Layout() uint32 { return 1 }

func (record) Varints(first byte) int { return 1 + bits.OnesCount8(first) }

func (r record) Append(b []byte) []byte {
	var head byte
	for i, n := range r {
		if n != 0 {
			head |= 1 << i
		}
	}
	b = append(b, head)
	for i, n := range r {
		switch {
		case n == 0:
		case i == len(r)-1:
			b = binary.AppendVarint(b, n)
		default:
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return b
}

func (record) Decode(b []byte) (r record, size int) {
	d := NewDecoder(b)
	head := d.Uint(1<<len(r) - 1)
	for i := range r {
		switch {
		case head&(1<<i) == 0:
			continue
		case i == len(r)-1:
			r[i] = d.Int()
		default:
			r[i] = int64(d.Uint(math.MaxInt64))
		}
		if r[i] == 0 {
			d.Invalid()
		}
	}
	return r, d.Size()
}

func randomRecord(r *rand.Rand) (v record) {
	for i := range v {
		if r.IntN(3) > 0 {
			v[i] = r.Int64() >> r.IntN(64)
		}
	}
	if r.IntN(2) == 0 {
		v[3] = -v[3]
	}
	return v
}

func TestDecoder(t *testing.T) {
	for _, tt := range []struct {
		name    string
		encoded string
		limit   uint64
		size    int
	}{
		{"one byte", "\x07rest", 7, 1},
		{"above the limit", "\x07", 6, 0},
		{"two bytes", "\x80\x01", 128, 2},
		{"cut", "\x80", 128, 0},
		{"empty", "", 128, 0},
		{"more than 64 bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", math.MaxUint64, 0},
	} {
		d := NewDecoder([]byte(tt.encoded))
		if d.Uint(tt.limit); d.Size() != tt.size {
			t.Errorf("%s: got size %d, want %d", tt.name, d.Size(), tt.size)
		}
	}
	d := NewDecoder([]byte{3, 4})
	if n := d.Int(); n != -2 || d.Size() != 1 {
		t.Errorf("got %d of %d bytes, want -2 of 1", n, d.Size())
	}
	d.Invalid()
	if d.Size() != 0 {
		t.Errorf("invalid encoding: got size %d, want 0", d.Size())
	}
}

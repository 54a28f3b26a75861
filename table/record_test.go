package table

import (
	"bytes"
	"errors"
	"math"
)

type (
	level uint16
	name  string
)

// A record has fields of all types.
type record struct {
	small    uint8
	named    level
	wide     uint32
	large    uint64
	signed   int64
	truth    bool
	text     name
	digest   [8]byte
	half     [4]byte
	blob     []byte
	list     []inner
	raw      []byte // without its last byte, which is 0
	names    []name
	packed   []uint32
	reals    []float64
	constant uint64
}

type inner struct {
	n    uint64
	text string
}

func (i *inner) code(c *Coder) {
	Uint(c, 1, &i.n)
	String(c, 2, &i.text)
}

func (r *record) code(c *Coder) {
	each := func(c *Coder, i *inner) { i.code(c) }
	Uint(c, 1, &r.small)
	Uint(c, 2, &r.named)
	Uint(c, 3, &r.wide)
	Uint(c, 4, &r.large)
	Int(c, 5, &r.signed)
	Bool(c, 6, &r.truth)
	String(c, 8, &r.text)
	Fixed64(c, 9, &r.digest)
	Fixed32(c, 10, &r.half)
	Bytes(c, 11, &r.blob)
	Slice(c, 14, &r.list, each)
	Raw(c, 15, r.appendRaw, r.readRaw)
	Strings(c, 19, &r.names)
	Uints(c, 20, &r.packed)
	Floats(c, 21, &r.reals)
	Uint(c, 5000, &r.constant)
}

func (r *record) appendRaw(b []byte) []byte {
	if len(r.raw) == 0 {
		return b
	}
	return append(append(b, r.raw...), 0)
}

var errRaw = errors.New("no last byte")

func (r *record) readRaw(b []byte) error {
	r.raw = nil
	if len(b) == 0 {
		return nil
	}
	content, ok := bytes.CutSuffix(b, []byte{0})
	if !ok || len(content) == 0 {
		return errRaw
	}
	r.raw = bytes.Clone(content)
	return nil
}

func full() record {
	return record{
		small: math.MaxUint8, named: math.MaxUint16, wide: math.MaxUint32, large: math.MaxUint64,
		signed: math.MinInt64, truth: true, text: "näme\x00", digest: [8]byte{0, 1, 2, 255}, half: [4]byte{3: 1},
		blob:  []byte{7, 0, 9},
		list:  []inner{{n: 1, text: "a"}, {}, {n: 300, text: "long\nenough"}},
		raw:   bytes.Repeat([]byte{4}, 200),
		names: []name{"", "b"}, packed: []uint32{0, 300, math.MaxUint32},
		reals: []float64{0, math.Inf(1), 0.1}, constant: 1,
	}
}

func encode(r *record) []byte {
	c := NewWriter(nil)
	r.code(c)
	return c.Bytes()
}

func decode(b []byte) (r record, err error) {
	c := NewReader(b)
	r.code(c)
	return r, c.Done()
}

package codec

import (
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
	real     float64
	text     name
	digest   [8]byte
	half     [4]byte
	blob     []byte
	value    inner
	list     []inner
	table    map[string]inner
	extra    Unknowns[string]
	others   Unknowns[uint32]
	numbers  map[uint32]*inner
	maybe    *inner
	pointer  *inner
	names    []name
	packed   []uint32
	reals    []float64
	digests  [][8]byte
	unknown  []byte
	constant uint64
}

type inner struct {
	n       uint64
	text    string
	unknown []byte
}

func (i *inner) code(c *Coder) {
	c.Unknown(&i.unknown)
	Uint(c, 1, &i.n)
	String(c, 2, &i.text)
}

func (r *record) code(c *Coder) {
	c.Unknown(&r.unknown)
	each := func(c *Coder, i *inner) { i.code(c) }
	Uint(c, 1, &r.small)
	Uint(c, 2, &r.named)
	Uint(c, 3, &r.wide)
	Uint(c, 4, &r.large)
	Int(c, 5, &r.signed)
	Bool(c, 6, &r.truth)
	Float(c, 7, &r.real)
	String(c, 8, &r.text)
	Fixed64(c, 9, &r.digest)
	Fixed32(c, 10, &r.half)
	Bytes(c, 11, &r.blob)
	Message(c, 12, &r.value, each)
	Slice(c, 14, &r.list, each)
	Map(c, 15, &r.table, &r.extra, func(c *Coder, k *string, v *inner) {
		String(c, 1, k)
		Message(c, 2, v, each)
	})
	Map(c, 16, &r.numbers, &r.others, func(c *Coder, k *uint32, v **inner) {
		Uint(c, 1, k)
		Optional(c, 2, v, each)
	})
	Optional(c, 17, &r.maybe, each)
	Optional(c, 18, &r.pointer, each)
	Strings(c, 19, &r.names)
	Uints(c, 20, &r.packed)
	Floats(c, 21, &r.reals)
	Fixed64s(c, 22, &r.digests)
	Uint(c, 5000, &r.constant)
}

func full() record {
	return record{
		small: math.MaxUint8, named: math.MaxUint16, wide: math.MaxUint32, large: math.MaxUint64,
		signed: math.MinInt64, truth: true, real: -1.5, text: "näme\x00", digest: [8]byte{0, 1, 2, 255}, half: [4]byte{3: 1},
		blob:    []byte{7, 0, 9},
		value:   inner{n: 300},
		list:    []inner{{n: 1, text: "a"}, {}, {n: 300, text: "long\nenough"}},
		table:   map[string]inner{"": {}, "k": {n: 7, text: "x"}},
		numbers: map[uint32]*inner{0: nil, 8: {n: 1}, 300: {}},
		maybe:   &inner{}, names: []name{"", "b"}, packed: []uint32{0, 300, math.MaxUint32},
		reals: []float64{0, math.Inf(1), 0.1}, digests: [][8]byte{{}, {1}}, constant: 1,
	}
}

// empty returns the result of reading a record without fields.
func empty() record { return record{table: map[string]inner{}, numbers: map[uint32]*inner{}} }

func encode(r *record) []byte {
	c := NewWriter(nil)
	r.code(c)
	_ = c.Done()
	return c.Bytes()
}

func decode(b []byte) (r record, err error) {
	c := NewReader(b)
	r.code(c)
	return r, c.Done()
}

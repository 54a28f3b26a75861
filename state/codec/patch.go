package codec

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// removedTag begins the list of removed fields in a patch: a packed field with the
// number 0, which no message has.
const removedTag = byte(protowire.BytesType)

// AppendPatch appends to b the difference between two encodings of a message, from
// which Patch restores now. It appends nothing if they are equal. before may be empty,
// which makes the patch equal to now.
//
// All fields with the same number are one unit. A patch is a list of the numbers that
// before has and now has not, if there are any, and the units of now that are new or
// different, in ascending order. The list is packed in a field with number 0, which is
// written in one byte and which no message can have.
//
// Both must be encodings by a Coder: AppendPatch panics if their fields are invalid or
// not in ascending order.
func AppendPatch(b, before, now []byte) []byte {
	if bytes.Equal(before, now) {
		return b
	}
	start := len(b)
	end := start // of the list of removed numbers, without its tag and length
	was, is := newUnits(before), newUnits(now)
	for was.number != noNumber || is.number != noNumber {
		switch {
		case was.number < is.number:
			b, end = insertVarint(b, end, uint64(was.number)) //nolint:gosec // not negative
			was.next()
		case was.number > is.number:
			b = append(b, is.unit...)
			is.next()
		default:
			if !bytes.Equal(was.unit, is.unit) {
				b = append(b, is.unit...)
			}
			was.next()
			is.next()
		}
	}
	if was.invalid || is.invalid {
		panic("codec: patch of an invalid encoding")
	}
	if size := end - start; size > 0 {
		b, _ = insertVarint(b, start, uint64(size))
		b = slices.Insert(b, start, removedTag)
	}
	return b
}

// insertVarint inserts v into b at a position and returns the position after it.
func insertVarint(b []byte, at int, v uint64) (inserted []byte, end int) {
	var buf [10]byte
	encoded := protowire.AppendVarint(buf[:0], v)
	return slices.Insert(b, at, encoded...), at + len(encoded)
}

// Patch appends to dst the message that results from a patch of before. The error is
// ErrCorrupt if the patch is invalid or does not fit to before; dst is returned
// unchanged then. dst must not overlap the others.
//
// The fields of the result are in ascending order, but only a reader checks them.
func Patch(dst, before, patch []byte) ([]byte, error) {
	list, patch, ok := cutRemoved(patch)
	if !ok {
		return dst, ErrCorrupt
	}
	result := dst
	removed, was, is := newNumbers(list), newUnits(before), newUnits(patch)
	for was.number != noNumber || is.number != noNumber {
		switch {
		case was.number > is.number:
			result = append(result, is.unit...)
			is.next()
		case was.number == is.number:
			result = append(result, is.unit...)
			was.next()
			is.next()
		case was.number == removed.number:
			was.next()
			removed.next()
		default:
			result = append(result, was.unit...)
			was.next()
		}
	}
	if was.invalid || is.invalid || removed.number != noNumber {
		return dst, ErrCorrupt
	}
	return result, nil
}

// cutRemoved splits a patch into the list of removed numbers and its fields.
func cutRemoved(patch []byte) (list, fields []byte, ok bool) {
	if len(patch) == 0 || patch[0] != removedTag {
		return nil, patch, true
	}
	list, size := protowire.ConsumeBytes(patch[1:])
	if size < 0 {
		return nil, nil, false
	}
	return list, patch[1+size:], true
}

// noNumber is larger than the number of any field.
const noNumber = protowire.MaxValidNumber + 1

// numbers iterates over packed numbers.
type numbers struct {
	number Number // noNumber at the end, and 0 if invalid
	rest   []byte
}

func newNumbers(list []byte) (n numbers) {
	n.rest = list
	n.next()
	return n
}

func (n *numbers) next() {
	if len(n.rest) == 0 {
		n.number = noNumber
		return
	}
	v, size := protowire.ConsumeVarint(n.rest)
	if n.number = 0; size > 0 && v < uint64(noNumber) {
		n.number, n.rest = Number(v), n.rest[size:]
	}
}

// units iterates over the fields of a message, taking those with the same number
// together.
type units struct {
	number  Number // noNumber at the end
	unit    []byte // the fields with that number
	invalid bool   // the message ended early
	rest    []byte
}

func newUnits(message []byte) (u units) {
	u.rest = message
	u.next()
	return u
}

func (u *units) next() {
	last := u.number
	u.number, u.unit = noNumber, nil
	if len(u.rest) == 0 {
		return
	}
	n, size := consumeField(u.rest)
	for size >= 0 && size < len(u.rest) && numberOf(u.rest[size:]) == n {
		_, more := consumeField(u.rest[size:])
		if size += more; more < 0 {
			size = more
		}
	}
	if size < 0 || n <= last || n >= noNumber {
		u.invalid, u.rest = true, nil
		return
	}
	u.number, u.unit, u.rest = n, u.rest[:size], u.rest[size:]
}

// numberOf returns the number of the first field, and 0 if it is invalid.
func numberOf(m []byte) Number {
	if m[0] < 0x80 {
		return Number(m[0] >> typeLen)
	}
	n, _, _ := protowire.ConsumeTag(m)
	return n
}

// consumeField returns the number and the size of the first field of a message. The
// size is negative if the field is invalid.
func consumeField(m []byte) (n Number, size int) {
	if n, size = shortField(m); size <= len(m) {
		return n, size
	}
	n, t, tag := protowire.ConsumeTag(m)
	if tag < 0 || t == protowire.StartGroupType || t == protowire.EndGroupType {
		return 0, -1
	}
	value := protowire.ConsumeFieldValue(n, t, m[tag:])
	if value < 0 {
		return 0, -1
	}
	return n, tag + value
}

// shortField is consumeField for the most frequent fields: those with a small number
// and a short value. For others, the size is larger than the message.
func shortField(m []byte) (n Number, size int) {
	other := len(m) + 1
	if len(m) < 2 || m[0] >= 0x80 {
		return 0, other
	}
	n = Number(m[0] >> typeLen)
	switch t := protowire.Type(m[0] & (1<<typeLen - 1)); {
	case t == protowire.VarintType:
		for i, c := range m[1:min(len(m), 10)] {
			if c < 0x80 {
				return n, i + 2
			}
		}
	case t == protowire.BytesType && m[1] < 0x80:
		return n, 2 + int(m[1])
	case t == protowire.Fixed64Type:
		return n, 1 + 8
	case t == protowire.Fixed32Type:
		return n, 1 + 4
	}
	return n, other
}

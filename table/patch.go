package table

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// removedTag begins the list of removed fields in a patch: a packed field with the
// number 0, which no message has.
const removedTag = byte(protowire.BytesType)

// appendPatch appends to b the difference between two encodings of a message, before
// and after. applyPatch restores after from it. appendPatch appends nothing if they are
// equal. If before is empty, the patch equals after.
//
// All fields with the same number are one unit. A patch is a list of the removed
// numbers, if any, and the new or different units of after, in ascending order. The
// list is packed in a field with number 0: its tag takes one byte, and no message can
// have it.
//
// Both must be encodings by a Coder: appendPatch panics if their fields are invalid or
// not in ascending order.
func appendPatch(b, before, after []byte) []byte {
	if bytes.Equal(before, after) {
		return b
	}
	start := len(b)
	end := start // of the list of removed numbers, without its tag and length
	old, updated := newUnits(before), newUnits(after)
	for old.number != noNumber || updated.number != noNumber {
		if old.number < updated.number {
			b, end = insertVarint(b, end, uint64(old.number))
			old.next()
			continue
		}
		if old.number > updated.number || !bytes.Equal(old.unit, updated.unit) {
			b = append(b, updated.unit...)
		}
		if old.number == updated.number {
			old.next()
		}
		updated.next()
	}
	if old.invalid || updated.invalid {
		panic("table: patch of an invalid encoding")
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

// applyPatch appends to dst the message that results from a patch of before. The error
// is ErrCorrupt if the patch is invalid or does not fit to before; dst is returned
// unchanged then. dst must not overlap before and patch.
//
// The fields of the result are in ascending order, but only a reader checks them.
func applyPatch(dst, before, patch []byte) ([]byte, error) {
	var removed []byte
	if len(patch) > 0 && patch[0] == removedTag {
		list, size := protowire.ConsumeBytes(patch[1:])
		if size < 0 {
			return dst, ErrCorrupt
		}
		removed, patch = list, patch[1+size:]
	}
	result := dst
	old, updated := newUnits(before), newUnits(patch)
	for old.number != noNumber || updated.number != noNumber {
		if old.number < updated.number {
			n, size := protowire.ConsumeVarint(removed)
			if size > 0 && n == uint64(old.number) {
				removed = removed[size:]
			} else {
				result = append(result, old.unit...)
			}
			old.next()
			continue
		}
		result = append(result, updated.unit...)
		if old.number == updated.number {
			old.next()
		}
		updated.next()
	}
	if old.invalid || updated.invalid || len(removed) > 0 {
		return dst, ErrCorrupt
	}
	return result, nil
}

// noNumber is larger than the number of any field.
const noNumber = protowire.MaxValidNumber + 1

// units iterates over the fields of a message, and combines fields with the same
// number.
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
	last, size := u.number, 0
	u.number = noNumber
	for size < len(u.rest) {
		n, t, field := protowire.ConsumeField(u.rest[size:])
		if field < 0 || n <= last || n >= noNumber || t == protowire.StartGroupType {
			*u = units{number: noNumber, invalid: true}
			return
		}
		if size > 0 && n != u.number {
			break
		}
		u.number = n
		size += field
	}
	u.unit, u.rest = u.rest[:size], u.rest[size:]
}

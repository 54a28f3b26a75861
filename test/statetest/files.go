// Package statetest reads and changes the rows of files in encoded states.
package statetest

import (
	"encoding/binary"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

const filesTable = 2

// Fields of a file.
const (
	Path     = protowire.Number(1)
	Device   = protowire.Number(2)
	Inode    = protowire.Number(3)
	Offset   = protowire.Number(4)
	Modified = protowire.Number(9)
	Missing  = protowire.Number(10)
)

var errInvalid = errors.New("invalid table of files")

// A FileChange is a frame's change to the row of a file.
type FileChange struct {
	ID     uint64
	Values map[protowire.Number]uint64 // of fields that are numbers
	Zeroed []protowire.Number          // fields that are zero now, and were not
}

// FileChanges returns the changes of files in a frame, without forgotten files, or all
// files of a snapshot.
func FileChanges(frame []byte) (all []FileChange, err error) {
	_, err = mapFiles(frame, func(id uint64, row []byte) ([]byte, error) {
		change := FileChange{ID: id, Values: make(map[protowire.Number]uint64)}
		change.Zeroed, row = CutZeroed(row)
		for len(row) > 0 {
			n, t, size := protowire.ConsumeField(row)
			if size < 0 {
				return nil, errInvalid
			}
			switch value := row[protowire.SizeTag(n):]; t {
			case protowire.VarintType:
				change.Values[n], _ = protowire.ConsumeVarint(value)
			case protowire.Fixed64Type:
				change.Values[n], _ = protowire.ConsumeFixed64(value)
			}
			row = row[size:]
		}
		all = append(all, change)
		return nil, nil
	})
	return all, err
}

// CutZeroed cuts the numbers of the fields that are zero now from a patch.
func CutZeroed(patch []byte) (zeroed []protowire.Number, rest []byte) {
	if len(patch) == 0 || patch[0] != byte(protowire.BytesType) { // a tag with the number 0
		return nil, patch
	}
	list, size := protowire.ConsumeBytes(patch[1:])
	for len(list) > 0 {
		n, size := protowire.ConsumeVarint(list)
		zeroed, list = append(zeroed, protowire.Number(n)), list[size:]
	}
	return zeroed, patch[1+size:]
}

// SetFileField returns a snapshot with a value in a field of all files that have it.
func SetFileField(snapshot []byte, field protowire.Number, value uint64) ([]byte, error) {
	return mapFiles(snapshot, func(_ uint64, row []byte) (changed []byte, err error) {
		for len(row) > 0 {
			n, _, size := protowire.ConsumeField(row)
			if size < 0 {
				return nil, errInvalid
			}
			if n == field {
				changed = protowire.AppendVarint(protowire.AppendTag(changed, n, protowire.VarintType), value)
			} else {
				changed = append(changed, row[:size]...)
			}
			row = row[size:]
		}
		return changed, nil
	})
}

// mapFiles returns a snapshot or frame with other rows of files.
func mapFiles(b []byte, replace func(id uint64, row []byte) ([]byte, error)) (all []byte, err error) {
	for len(b) > 0 {
		n, _, size := protowire.ConsumeField(b)
		if size < 0 {
			return nil, errInvalid
		}
		field := b[:size]
		b = b[size:]
		if n != filesTable {
			all = append(all, field...)
			continue
		}
		entries, _ := protowire.ConsumeBytes(field[protowire.SizeTag(n):])
		if entries, err = mapEntries(entries, replace); err != nil {
			return nil, err
		}
		all = protowire.AppendBytes(protowire.AppendTag(all, n, protowire.BytesType), entries)
	}
	return all, nil
}

// mapEntries returns the entries of a table with other rows, see package table.
func mapEntries(b []byte, replace func(key uint64, row []byte) ([]byte, error)) (all []byte, err error) {
	for len(b) > 0 {
		head, n := binary.Uvarint(b)
		key, size := binary.Uvarint(b[max(n, 0):])
		if n <= 0 || size <= 0 || head>>1 > uint64(len(b)-n-size) {
			return nil, errInvalid
		}
		row := b[n+size:][:head>>1]
		b = b[n+size+len(row):]
		if head&1 == 0 {
			if row, err = replace(key, row); err != nil {
				return nil, err
			}
		}
		all = binary.AppendUvarint(all, uint64(len(row))<<1|head&1)
		all = append(binary.AppendUvarint(all, key), row...)
	}
	return all, nil
}

// SetInodes returns a snapshot or frame with other inodes of files, by the digest of
// their path.
func SetInodes(b []byte, inodes map[[8]byte]uint64) ([]byte, error) {
	return mapFiles(b, func(_ uint64, row []byte) (changed []byte, err error) {
		var inode uint64
		err = Fields(row, func(n protowire.Number, t protowire.Type, content []byte) {
			field := protowire.AppendTag(nil, n, t)
			switch {
			case n == Path:
				inode = inodes[[8]byte(content)]
			case n == Inode && inode != 0:
				content = protowire.AppendVarint(nil, inode)
			case t == protowire.BytesType:
				content = protowire.AppendBytes(nil, content)
			}
			changed = append(append(changed, field...), content...)
		})
		return changed, err
	})
}

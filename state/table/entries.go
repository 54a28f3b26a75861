package table

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// removed is the head of an entry whose row was removed.
const removed = 1

// buffers are used again for each row that is encoded.
type buffers struct{ before, now, patch []byte }

// appendRows appends all rows in the order of their keys. There may be a million, and
// readers wait meanwhile.
func (t *Table[K, V]) appendRows(b []byte) []byte {
	unordered, ok := t.rows.(plain[K, V])
	if !ok {
		for k, row := range t.rows.All() {
			b = t.appendRow(b, k, row)
		}
		return b
	}
	for _, k := range slices.SortedFunc(maps.Keys(unordered), t.key.compare) {
		b = t.appendRow(b, k, unordered[k])
	}
	return b
}

// appendRow appends a row as a new one.
func (t *Table[K, V]) appendRow(b []byte, k K, row V) []byte {
	at := len(b)
	b = t.key.append(append(b, 0), k)
	start := len(b)
	b = t.row.append(b, row)
	if size := len(b) - start; size < 1<<6 { // the head is one byte
		b[at] = byte(size << 1) //nolint:gosec // below 128
		return b
	}
	t.buffers.now = append(t.buffers.now[:0], b[start:]...)
	return t.appendPatch(b[:at], k, t.buffers.now)
}

// appendPatch appends the entry of a row that was not removed.
func (t *Table[K, V]) appendPatch(b []byte, k K, patch []byte) []byte {
	b = t.key.append(binary.AppendUvarint(b, uint64(len(patch))<<1), k)
	return append(b, patch...)
}

func (t *Table[K, V]) appendChanges(b []byte) []byte {
	t.keys = slices.AppendSeq(t.keys[:0], maps.Keys(t.changes))
	slices.SortFunc(t.keys, t.key.compare)
	for _, k := range t.keys {
		b = t.appendEntry(b, k, t.changes[k])
	}
	return b
}

// appendEntry appends the difference between a row and what it was before, and nothing
// if there is none.
func (t *Table[K, V]) appendEntry(b []byte, k K, before change[V]) []byte {
	row, exists := t.rows.Get(k)
	if !exists {
		if before.existed {
			b = t.key.append(append(b, removed), k)
		}
		return b
	}
	t.buffers.now = t.row.append(t.buffers.now[:0], row)
	patch := t.buffers.now
	if before.existed {
		t.buffers.before = t.row.append(t.buffers.before[:0], before.row)
		t.buffers.patch = codec.AppendPatch(t.buffers.patch[:0], t.buffers.before, patch)
		if patch = t.buffers.patch; len(patch) == 0 {
			return b
		}
	}
	return t.appendPatch(b, k, patch)
}

// An entry is a row that was added, changed or removed.
type entry[K any] struct {
	key     K
	patch   []byte
	removed bool
}

// next returns the first entry of b and the rest.
func (t *Table[K, V]) next(b []byte) (e entry[K], rest []byte, err error) {
	head, n := binary.Uvarint(b)
	if n <= 0 {
		return e, nil, codec.ErrCorrupt
	}
	k, size := t.key.decode(b[n:])
	if size <= 0 || head > removed && head&removed != 0 || head>>1 > uint64(len(b)-n-size) { //nolint:gosec // not negative
		return e, nil, codec.ErrCorrupt
	}
	rest = b[n+size:]
	return entry[K]{k, rest[:head>>1], head == removed}, rest[head>>1:], nil
}

// load replaces all rows by those of a snapshot.
func (t *Table[K, V]) load(b []byte) error {
	t.clear()
	n := 0
	for rest := b; len(rest) > 0; n++ {
		var err error
		if _, rest, err = t.next(rest); err != nil {
			return err
		}
	}
	t.rows.Grow(n)
	return t.apply(b)
}

// apply applies entries, whose keys ascend.
func (t *Table[K, V]) apply(b []byte) error {
	var before K
	for first := true; len(b) > 0; first = false {
		e, rest, err := t.next(b)
		if err == nil && !first && t.key.compare(before, e.key) >= 0 {
			err = codec.ErrCorrupt
		}
		if err != nil {
			return err
		}
		before, b = e.key, rest
		if e.removed {
			t.rows.Delete(e.key)
		} else if err := t.applyPatch(e.key, e.patch); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table[K, V]) applyPatch(k K, patch []byte) error {
	whole := patch
	if before, existed := t.rows.Get(k); existed {
		t.buffers.before = t.row.append(t.buffers.before[:0], before)
		var err error
		if t.buffers.now, err = codec.Patch(t.buffers.now[:0], t.buffers.before, patch); err != nil {
			return err
		}
		whole = t.buffers.now
	}
	v, err := t.row.decode(whole)
	if err == nil {
		t.rows.Put(k, v)
	}
	return err
}

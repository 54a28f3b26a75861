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

func (t *Table[K, V]) appendRows(b []byte) []byte {
	keys := make([]K, 0, t.rows.Len())
	for k := range t.rows.All() {
		keys = append(keys, k)
	}
	return t.appendEntries(b, keys, nil)
}

func (t *Table[K, V]) appendChanges(b []byte) []byte {
	t.keys = slices.AppendSeq(t.keys[:0], maps.Keys(t.changes))
	return t.appendEntries(b, t.keys, t.changes)
}

func (t *Table[K, V]) appendEntries(b []byte, keys []K, before map[K]change[V]) []byte {
	slices.SortFunc(keys, t.key.compare)
	for _, k := range keys {
		b = t.appendEntry(b, k, before[k])
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
	b = t.key.append(binary.AppendUvarint(b, uint64(len(patch))<<1), k)
	return append(b, patch...)
}

// apply applies entries, whose keys ascend.
func (t *Table[K, V]) apply(b []byte) error {
	var before K
	for first := true; len(b) > 0; first = false {
		head, n := binary.Uvarint(b)
		if n <= 0 {
			return codec.ErrCorrupt
		}
		k, size := t.key.decode(b[n:])
		if size <= 0 || !first && t.key.compare(before, k) >= 0 || head > removed && head&removed != 0 {
			return codec.ErrCorrupt
		}
		before, b = k, b[n+size:]
		if head == removed {
			t.rows.Delete(k)
			continue
		}
		if head>>1 > uint64(len(b)) {
			return codec.ErrCorrupt
		}
		if err := t.applyPatch(k, b[:head>>1]); err != nil {
			return err
		}
		b = b[head>>1:]
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

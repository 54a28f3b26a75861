package table

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// removed is the head of an entry for a removed row.
const removed = 1

// typed is a table of any type, with encoded keys and rows. It has only methods that
// differ between types, since they are compiled for each type.
type typed interface {
	Len() int
	// keySize returns the size of the key at the beginning of b, which is 0 or negative if
	// it is not valid.
	keySize(b []byte) int
	// appendRow appends the row of a key, and reports whether it exists.
	appendRow(b, key []byte) ([]byte, bool)
	put(key, row []byte) error
	delete(key []byte)
	// reset removes all rows, and makes room for n rows.
	reset(n int)
	visitRows(e *entries)
}

// entries are the encoded rows of a table, or the encoded changes.
type entries struct {
	typed
	changes

	buf     []byte // output
	lastKey []byte // of the latest entry
	ordered bool   // whether all keys ascend so far

	// Buffers that each entry uses again.
	nextKey, before, after, patch []byte
	unordered                     []byte
	spans                         []span
}

// An Entry is a row that was added, changed or removed, encoded. A value of an interner
// has no key.
type Entry struct {
	Key, Patch []byte
	Removed    bool
}

// A span is the position of an entry and of its key.
type span struct{ start, key, end uint32 }

func newEntries(t typed) *entries {
	return &entries{typed: t, changes: changes{index: make(map[uint64]int)}}
}

// appendRows appends all rows in the order of their keys. There may be a million, and
// readers wait until it returns. It frees the buffers of sorting.
func (e *entries) appendRows(b []byte) []byte {
	b = e.appendAll(b, e.visitRows)
	e.unordered, e.spans = nil, nil
	return b
}

// appendChanges appends the rows that have changed since the last commit.
func (e *entries) appendChanges(b []byte) []byte { return e.appendAll(b, (*entries).visitChanges) }

func (e *entries) visitChanges() {
	for _, c := range e.noted {
		var exists bool
		e.nextKey = append(e.nextKey[:0], e.key(c)...)
		e.after, exists = e.appendRow(e.after[:0], e.nextKey)
		e.add(e.rowBefore(c), c.existed, exists)
	}
}

func (e *entries) appendAll(b []byte, visit func(*entries)) []byte {
	start := len(b)
	e.buf, e.lastKey, e.ordered = b, e.lastKey[:0], true
	visit(e)
	b, e.buf = e.buf, nil
	if !e.ordered {
		e.sort(b[start:])
	}
	return b
}

// add appends the entry of the key nextKey with the row after, or with its difference
// from the row before, and nothing without a difference.
func (e *entries) add(before []byte, existed, exists bool) {
	patch := e.after
	switch {
	case !exists && existed:
		e.buf = append(e.buf, removed)
	case !exists:
		return
	case existed:
		e.patch = appendPatch(e.patch[:0], before, e.after)
		if patch = e.patch; len(patch) == 0 {
			return
		}
		fallthrough
	default:
		e.buf = binary.AppendUvarint(e.buf, uint64(len(patch))<<1)
	}
	e.buf = append(e.buf, e.nextKey...)
	if exists {
		e.buf = append(e.buf, patch...)
	}
	e.ordered = e.ordered && bytes.Compare(e.lastKey, e.nextKey) <= 0
	e.lastKey, e.nextKey = e.nextKey, e.lastKey
}

// sort sorts valid entries by their keys. There may be many, so it needs little memory.
func (e *entries) sort(b []byte) {
	e.unordered, e.spans = append(e.unordered[:0], b...), e.spans[:0]
	for start := 0; start < len(b); {
		next, rest, err := e.next(e.unordered[start:])
		if err != nil {
			panic("table: a written entry is not valid")
		}
		end := len(b) - len(rest)
		e.spans = append(e.spans, span{uint32(start), uint32(end - len(next.Patch) - len(next.Key)), uint32(end)})
		start = end
	}
	slices.SortFunc(e.spans, func(x, y span) int { // no key is the beginning of another
		return bytes.Compare(e.unordered[x.key:x.end], e.unordered[y.key:y.end])
	})
	b = b[:0]
	for _, s := range e.spans {
		b = append(b, e.unordered[s.start:s.end]...)
	}
}

// next returns the first entry of b and the rest.
func (e *entries) next(b []byte) (first Entry, rest []byte, err error) {
	head, n := binary.Uvarint(b)
	if n <= 0 {
		return Entry{}, nil, ErrCorrupt
	}
	size := e.keySize(b[n:])
	if size <= 0 || head > removed && head&removed != 0 || head>>1 > uint64(len(b)-n-size) {
		return Entry{}, nil, ErrCorrupt
	}
	patch := n + size
	end := patch + int(head>>1)
	return Entry{b[n:patch], b[patch:end], head == removed}, b[end:], nil
}

// split calls visit for each entry.
func (e *entries) split(b []byte, visit func(Entry)) error {
	for len(b) > 0 {
		next, rest, err := e.next(b)
		if err != nil {
			return err
		}
		visit(next)
		b = rest
	}
	return nil
}

// load replaces all rows by the rows of a snapshot.
func (e *entries) load(b []byte) error {
	n := 0
	if err := e.split(b, func(Entry) { n++ }); err != nil {
		return err
	}
	e.commit()
	e.reset(n)
	return e.apply(b)
}

// apply applies entries in ascending order of keys.
func (e *entries) apply(b []byte) error {
	var before []byte
	for len(b) > 0 {
		next, rest, err := e.next(b)
		if err == nil && before != nil && bytes.Compare(before, next.Key) >= 0 {
			err = ErrCorrupt
		}
		if err == nil {
			err = e.applyEntry(next)
		}
		if err != nil {
			return err
		}
		before, b = next.Key, rest
	}
	return nil
}

func (e *entries) applyEntry(next Entry) (err error) {
	if next.Removed {
		e.delete(next.Key)
		return nil
	}
	var existed bool
	row := next.Patch
	if e.before, existed = e.appendRow(e.before[:0], next.Key); existed {
		if e.after, err = applyPatch(e.after[:0], e.before, next.Patch); err != nil {
			return err
		}
		row = e.after
	}
	return e.put(next.Key, row)
}

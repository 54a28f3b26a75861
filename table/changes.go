package table

import (
	"bytes"
	"hash/maphash"
)

// changes are the rows that have changed since the last commit, in their state at that
// commit.
type changes struct {
	noted []change
	index map[uint64]int // into noted, by the hash of the key; after a collision by the next free hash
	bytes []byte         // keys and rows of noted, encoded
}

// A change is the position of a key and its row in bytes.
type change struct {
	start, row, end uint32
	existed         bool
}

func (c *changes) key(n change) []byte       { return c.bytes[n.start:n.row] }
func (c *changes) rowBefore(n change) []byte { return c.bytes[n.row:n.end] }

func (c *changes) size() uint32 { return uint32(len(c.bytes)) }

var seed = maphash.MakeSeed()

// note records the row of a key, unless it was recorded since the last commit.
func (e *entries) note(key []byte) {
	hash := maphash.Bytes(seed, key)
	for ; ; hash++ {
		at, taken := e.index[hash]
		if !taken {
			break
		}
		if bytes.Equal(e.key(e.noted[at]), key) {
			return
		}
	}
	e.index[hash] = len(e.noted)
	e.noted = append(e.noted, e.record(key))
}

// record appends a key and its row to bytes.
func (e *entries) record(key []byte) (c change) {
	c.start = e.size()
	e.bytes = append(e.bytes, key...)
	c.row = e.size()
	e.bytes, c.existed = e.appendRow(e.bytes, key)
	c.end = e.size()
	return c
}

// swap exchanges the changed rows with the rows at the last commit.
func (e *entries) swap() {
	swapped := e.changes
	e.bytes = nil
	for i, c := range swapped.noted {
		key := swapped.key(c)
		e.noted[i] = e.record(key)
		if !c.existed {
			e.delete(key)
		} else if err := e.put(key, swapped.rowBefore(c)); err != nil {
			panic("table: a written row is not valid")
		}
	}
}

// manyChanges is the number of changes above which commit frees their memory: clearing
// a map takes time in proportion to the largest size that it has had.
const manyChanges = 1 << 8

// commit forgets the changes.
func (e *entries) commit() {
	if len(e.noted) > manyChanges {
		*e = *newEntries(e.typed)
		return
	}
	clear(e.index)
	e.noted, e.bytes = e.noted[:0], e.bytes[:0]
}

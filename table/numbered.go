package table

import (
	"iter"
	"math/bits"
	"slices"
)

// numbered are rows whose keys are numbers given in order, such as ids of files. The
// rows of consecutive numbers are together, without their keys. The zero numbered is
// empty.
type numbered[K ~uint32 | ~uint64, V any] struct {
	blocks map[K]*block[V] // by the number of its first row divided by blockSize
	n      int
}

// blockSize is the number of bits of block.taken.
const blockSize = 64

// A block has the rows of blockSize numbers.
type block[V any] struct {
	taken uint64 // a bit for each number that has a row
	rows  []V    // in order
}

// find returns where the row of a number is in the block, or would be inserted.
func (b *block[V]) find(i uint) (at int, ok bool) {
	return bits.OnesCount64(b.taken & (1<<i - 1)), b.taken>>i&1 != 0
}

func (m *numbered[K, V]) Len() int { return m.n }

func (m *numbered[K, V]) Get(k K) (v V, ok bool) {
	b := m.blocks[k/blockSize]
	if b == nil {
		return v, false
	}
	at, ok := b.find(uint(k % blockSize))
	if ok {
		v = b.rows[at]
	}
	return v, ok
}

func (m *numbered[K, V]) Put(k K, v V) {
	b := m.blocks[k/blockSize]
	if b == nil {
		if m.blocks == nil {
			m.blocks = make(map[K]*block[V])
		}
		b = new(block[V])
		m.blocks[k/blockSize] = b
	}
	at, ok := b.find(uint(k % blockSize))
	if ok {
		b.rows[at] = v
		return
	}
	b.taken |= 1 << (k % blockSize)
	b.rows = slices.Insert(b.rows, at, v)
	m.n++
}

func (m *numbered[K, V]) Delete(k K) {
	b := m.blocks[k/blockSize]
	if b == nil {
		return
	}
	at, ok := b.find(uint(k % blockSize))
	if !ok {
		return
	}
	m.n--
	b.taken &^= 1 << (k % blockSize)
	b.rows = slices.Delete(b.rows, at, at+1)
	switch {
	case b.taken == 0:
		delete(m.blocks, k/blockSize)
	case len(b.rows) < cap(b.rows)/4:
		b.rows = slices.Clone(b.rows)
	}
}

func (m *numbered[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for number, b := range m.blocks {
			left := b.taken
			for i := range b.rows {
				if k := number*blockSize + K(bits.TrailingZeros64(left)); !yield(k, b.rows[i]) {
					return
				}
				left &= left - 1
			}
		}
	}
}

func (m *numbered[K, V]) Reset(int) { *m = numbered[K, V]{} }
func (*numbered[K, V]) Shrink()     {}

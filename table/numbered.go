package table

import (
	"iter"
	"math/bits"
)

// numbered are rows whose keys are numbers given in order, so that most numbers below
// the newest have a row. The rows of consecutive numbers are together, without their
// keys.
type numbered[K ~uint32, V any] struct {
	blocks map[K]*block[V] // by the number of the first row divided by blockSize
	n      int
}

// blockSize is the number of bits of block.taken.
const blockSize = 64

type block[V any] struct {
	taken uint64 // a bit for each row that exists
	rows  [blockSize]V
}

func (m *numbered[K, V]) Len() int { return m.n }

func (m *numbered[K, V]) Get(k K) (v V, ok bool) {
	if b := m.blocks[k/blockSize]; b != nil && b.taken>>(k%blockSize)&1 != 0 {
		return b.rows[k%blockSize], true
	}
	return v, false
}

func (m *numbered[K, V]) Put(k K, v V) {
	b := m.blocks[k/blockSize]
	if b == nil {
		b = new(block[V])
		m.blocks[k/blockSize] = b
	}
	if bit := uint64(1) << (k % blockSize); b.taken&bit == 0 {
		b.taken |= bit
		m.n++
	}
	b.rows[k%blockSize] = v
}

func (m *numbered[K, V]) Delete(k K) {
	b, bit := m.blocks[k/blockSize], uint64(1)<<(k%blockSize)
	if b == nil || b.taken&bit == 0 {
		return
	}
	b.taken &^= bit
	b.rows[k%blockSize] = *new(V)
	m.n--
	if b.taken == 0 {
		delete(m.blocks, k/blockSize)
	}
}

func (m *numbered[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for number, b := range m.blocks {
			for left := b.taken; left != 0; left &= left - 1 {
				i := K(bits.TrailingZeros64(left))
				if !yield(number*blockSize+i, b.rows[i]) {
					return
				}
			}
		}
	}
}

func (m *numbered[K, V]) Reset(int) { *m = numbered[K, V]{blocks: make(map[K]*block[V])} }
func (*numbered[K, V]) Shrink()     {}

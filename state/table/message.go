package table

import "github.com/ccwatchd/ccwatchd/state/codec"

// A message is the encoding of rows that are messages. It keeps a coder and a row,
// which would otherwise be allocated each time.
type message[V any] struct {
	code  func(*codec.Coder, *V)
	coder codec.Coder
	row   V
}

func (m *message[V]) append(b []byte, v V) []byte {
	m.coder, m.row = *codec.NewWriter(b), v
	m.code(&m.coder, &m.row)
	b = m.coder.Bytes()
	m.clear()
	return b
}

func (m *message[V]) decode(b []byte) (V, error) {
	m.coder = *codec.NewReader(b)
	m.code(&m.coder, &m.row)
	v, err := m.row, m.coder.Done()
	m.clear()
	return v, err
}

// clear frees what the row refers to.
func (m *message[V]) clear() { m.coder, m.row = codec.Coder{}, *new(V) }

package table

import "github.com/ccwatchd/ccwatchd/state/codec"

// A message is the encoding of rows that are messages. It keeps a coder and a row,
// which would otherwise be allocated each time.
type message[V any] struct {
	row V
	rowCoder
}

func (m *message[V]) init(code func(*codec.Coder, *V)) {
	m.visit = func(c *codec.Coder) { code(c, &m.row) }
}

func (m *message[V]) append(b []byte, v V) []byte {
	m.row = v
	b = m.write(b)
	m.row = *new(V) // frees what it refers to
	return b
}

func (m *message[V]) decode(b []byte) (V, error) {
	err := m.read(b)
	v := m.row
	m.row = *new(V)
	return v, err
}

// A rowCoder writes and reads one row.
type rowCoder struct {
	visit func(*codec.Coder)
	coder codec.Coder
}

func (r *rowCoder) write(b []byte) []byte {
	r.coder = *codec.NewWriter(b)
	r.visit(&r.coder)
	b = r.coder.Bytes()
	r.coder = codec.Coder{}
	return b
}

func (r *rowCoder) read(b []byte) error {
	r.coder = *codec.NewReader(b)
	r.visit(&r.coder)
	err := r.coder.Done()
	r.coder = codec.Coder{}
	return err
}

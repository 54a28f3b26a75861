package table

// A message is the encoding of rows that are messages. It reuses a coder and a row,
// which would otherwise be allocated each time.
type message[V any] struct {
	row V
	rowCoder
}

func (m *message[V]) init(code func(*Coder, *V)) {
	m.visit = func(c *Coder) { code(c, &m.row) }
}

func (m *message[V]) append(b []byte, v V) []byte {
	m.row = v
	b = m.write(b)
	m.row = *new(V) // frees the memory that the row refers to
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
	visit func(*Coder)
	coder Coder
}

func (r *rowCoder) write(b []byte) []byte {
	r.coder = *NewWriter(b)
	r.visit(&r.coder)
	b = r.coder.Bytes()
	r.coder = Coder{}
	return b
}

func (r *rowCoder) read(b []byte) error {
	r.coder = *NewReader(b)
	r.visit(&r.coder)
	err := r.coder.Done()
	r.coder = Coder{}
	return err
}

package table

// The methods of a table that its entries need, see typed.

func (t *Table[K, V]) keySize(b []byte) int {
	_, size := t.key.decode(b)
	return size
}

func (t *Table[K, V]) appendRow(b, key []byte) ([]byte, bool) {
	k, _ := t.key.decode(key)
	row, ok := t.rows.Get(k)
	if ok {
		b = t.row.append(b, row)
	}
	return b, ok
}

func (t *Table[K, V]) put(key, row []byte) error {
	v, err := t.row.decode(row)
	if err == nil {
		k, _ := t.key.decode(key)
		t.rows.Put(k, v)
	}
	return err
}

func (t *Table[K, V]) delete(key []byte) {
	k, _ := t.key.decode(key)
	t.rows.Delete(k)
}

func (t *Table[K, V]) reset(n int) { t.rows.Reset(n) }

func (t *Table[K, V]) visitRows(e *entries) {
	for k, row := range t.rows.All() {
		e.nextKey = t.key.append(e.nextKey[:0], k)
		e.after = t.row.append(e.after[:0], row)
		e.add(nil, false, true)
	}
}

package table

// These are the methods of a table that its entries need, see typed.

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

func (t *Table[K, V]) clear(n int) {
	t.DeleteFunc(func(K, V) bool { return true })
	clear(t.changes)
	t.rows.Grow(n)
}

func (t *Table[K, V]) visitRows(e *entries) {
	for k, row := range t.rows.All() {
		e.nextKey = t.key.append(e.nextKey[:0], k)
		e.now = t.row.append(e.now[:0], row)
		e.add(false, true)
	}
}

func (t *Table[K, V]) visitChanges(e *entries) {
	for k, before := range t.changes {
		e.nextKey = t.key.append(e.nextKey[:0], k)
		if before.existed {
			e.before = t.row.append(e.before[:0], before.row)
		}
		row, exists := t.rows.Get(k)
		if exists {
			e.now = t.row.append(e.now[:0], row)
		}
		e.add(before.existed, exists)
	}
}

// swap exchanges the changed rows with those at the last commit.
func (t *Table[K, V]) swap() {
	for k, before := range t.changes {
		now, exists := t.rows.Get(k)
		t.changes[k] = change[V]{now, exists}
		if before.existed {
			t.rows.Put(k, before.row)
		} else {
			t.rows.Delete(k)
		}
	}
}

// manyChanges is the number of changes above which commit frees their memory: clearing
// a map takes time in proportion to the most entries that it has had.
const manyChanges = 1 << 8

// commit forgets what has changed, and reports whether it was much.
func (t *Table[K, V]) commit() (many bool) {
	if many = len(t.changes) > manyChanges; many {
		t.changes = make(map[K]change[V])
	} else {
		clear(t.changes)
	}
	return many
}

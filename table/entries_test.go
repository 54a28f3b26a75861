package table

import (
	"errors"
	"testing"
)

// The encoding of each kind of change.
func TestEntries(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(w *world)
		want   string
	}{
		{"nothing", func(*world) {}, ""},
		{"a new row", func(w *world) { w.accounts.Put(5, account{n: 9}) }, "\x12\x04\x04\x05\x08\x09"},
		{"a new row of zero value", func(w *world) { w.accounts.Put(5, account{}) }, "\x12\x02\x00\x05"},
		{"a changed field", func(w *world) { w.accounts.Put(1, account{n: 2, name: "old"}) }, "\x12\x04\x04\x01\x08\x02"},
		{"a field less", func(w *world) { w.accounts.Put(1, account{n: 1}) }, "\x12\x05\x06\x01\x02\x01\x02"},
		{"all fields less", func(w *world) { w.accounts.Put(1, account{}) }, "\x12\x06\x08\x01\x02\x02\x01\x02"},
		{"a removed row", func(w *world) { w.accounts.Delete(1) }, "\x12\x02\x01\x01"},
		{"a row removed and added again", func(w *world) {
			w.accounts.Delete(1)
			w.accounts.Put(1, account{n: 2, name: "old"})
		}, "\x12\x04\x04\x01\x08\x02"},
		{"keys in order", func(w *world) {
			w.accounts.Put(300, account{})
			w.accounts.Delete(1)
			w.accounts.Put(6, account{})
		}, "\x12\x07\x01\x01\x00\x06\x00\xac\x02"},
		{"a pair", func(w *world) { w.flags.Put(pair{1, 2}, true) }, "\x1a\x0c\x04\x01\x00\x00\x00\x00\x00\x00\x00\x02\x08\x01"},
		{"a text", func(w *world) { w.names.Put("ab", account{}) }, "\x2a\x04\x00\x02ab"},
		{"values", func(w *world) {
			w.labels.ID(label{name: "old"})
			w.labels.ID(label{})
			w.labels.ID(label{name: "b"})
		}, "\x0a\x05\x00\x03\x0a\x01b"},
		{"two tables", func(w *world) {
			w.hashed.Put(1, account{})
			w.accounts.Delete(1)
		}, "\x12\x02\x01\x01\x42\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01"},
	} {
		w := small()
		w.set.Record(true)
		tt.change(w)
		got := w.changes()
		if string(got) != tt.want {
			t.Errorf("%s: got %x, want %x", tt.name, got, tt.want)
		}
		again := small()
		if err := again.apply(got); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		wantSame(t, tt.name, again.rows(), w.rows())
	}
}

// small returns a world with a few rows.
func small() *world {
	w := newWorld()
	w.accounts.Put(1, account{n: 1, name: "old"})
	w.labels.ID(label{name: "old"})
	w.set.Commit()
	return w
}

// Entries that this version cannot have written are refused.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name, frame string
		want        error
	}{
		{"an unknown table", "\x22\x02\x00\x01", ErrUnsupported},
		{"an unknown table after the others", "\xaa\x01\x02\x00\x01", ErrUnsupported},
		{"an unknown field of a row", "\x12\x04\x04\x05\x20\x01", ErrUnsupported},
		{"an unknown field of a value", "\x0a\x03\x02\x18\x01", ErrUnsupported},
		{"a value longer than the input", "\x0a\x05\x04\x18\x01\x00", ErrCorrupt},
		{"a frame that is cut", "\x12\x04\x04", ErrCorrupt},
		{"a table without entries", "\x12\x00", ErrCorrupt},
		{"no head", "\x12\x01\x80", ErrCorrupt},
		{"no key", "\x12\x01\x00", ErrCorrupt},
		{"a key that is cut", "\x12\x02\x00\x80", ErrCorrupt},
		{"a key that is too large", "\x12\x06\x00\xff\xff\xff\xff\x7f", ErrCorrupt},
		{"a hash that is cut", "\xa2\x01\x02\x00\x01", ErrCorrupt},
		{"the first half of a pair", "\x1a\x02\x00\x01", ErrCorrupt},
		{"a pair without its first half", "\x1a\x01\x00", ErrCorrupt},
		{"a text that is cut", "\x2a\x03\x00\x02a", ErrCorrupt},
		{"the key 0 of a hashed table", "\x42\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00", ErrCorrupt},
		{"a patch that is cut", "\x12\x03\x04\x05\x08", ErrCorrupt},
		{"a patch that removes what is not there", "\x12\x05\x06\x01\x02\x01\x03", ErrCorrupt},
		{"a removed row with a size", "\x12\x03\x03\x01\x08", ErrCorrupt},
		{"keys that descend", "\x12\x04\x00\x06\x00\x05", ErrCorrupt},
		{"a key twice", "\x12\x04\x01\x01\x00\x01", ErrCorrupt},
		{"a known value", "\x0a\x06\x05\x0a\x03old", ErrCorrupt},
		{"a value that is cut", "\x0a\x02\x05\x0a", ErrCorrupt},
	} {
		if err := small().apply([]byte(tt.frame)); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
}

// Two tables cannot have the same number.
func TestSameNumber(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("got no panic")
		}
	}()
	NewInterner(newWorld().set, 5, codeLabel)
}

// Any frame and any snapshot either are refused or give rows that can be written.
func FuzzSet(f *testing.F) {
	w := filled(1)
	f.Add(w.snapshot(), true)
	f.Add([]byte("\x12\x04\x04\x05\x08\x09"), false)
	f.Add([]byte("\x0a\x05\x00\x03\x0a\x01b\x12\x02\x01\x01\x42\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01"), false)
	w.set.Record(true)
	for range 30 {
		w.change(newRand(1))
	}
	f.Add(w.changes(), false)
	f.Fuzz(func(t *testing.T, b []byte, snapshot bool) {
		w, read := small(), (*world).apply
		if snapshot {
			read = (*world).load
		}
		if read(w, b) != nil {
			return
		}
		again := newWorld()
		if err := again.load(w.snapshot()); err != nil {
			t.Fatal(err)
		}
		wantSame(t, "loaded", again.rows(), w.rows())
	})
}

package tailer

import (
	"path/filepath"
	"testing"
)

func TestRefersTo(t *testing.T) {
	path := writeFile(t, "one\n")
	info, err := openFile(t, path).Stat()
	noError(t, err)
	for name, want := range map[string]bool{
		path: true, writeFile(t, "one\n"): false, filepath.Dir(path): false, path + ".missing": false,
	} {
		if got := refersTo(name, info); got != want {
			t.Errorf("refersTo(%s) = %t, want %t", name, got, want)
		}
	}
}

// If nxadm/tail may be incomplete, tail returns false.
func TestTailFails(t *testing.T) {
	path := writeFile(t, "one\ntwo\n")
	for _, tt := range []struct {
		name string
		path string
		size int64
		from Cursor
	}{
		{"missing", path + ".missing", 8, Cursor{}},
		{"unreadable", filepath.Dir(path), 8, Cursor{}},
		{"shorter than its size", path, 9, Cursor{}},
		{"negative offset", path, 8, Cursor{Offset: -1}},
	} {
		if lines, to, ok := NewReader(0).tail(tt.path, tt.size, tt.from); ok {
			t.Errorf("%s: got lines %v, cursor %v, want false", tt.name, lines, to)
		}
	}
}

package tailer

import (
	"path/filepath"
	"testing"
)

func TestLeadsTo(t *testing.T) {
	name := write(t, []byte("one\n"))
	info, err := open(t, name).Stat()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		want bool
	}{
		{name, true},
		{write(t, []byte("one\n")), false},
		{filepath.Dir(name), false},
		{name + ".missing", false},
	} {
		if got := refersTo(tt.name, info); got != tt.want {
			t.Errorf("refersTo(%s) = %t, want %t", tt.name, got, tt.want)
		}
	}
}

// What nxadm/tail cannot vouch for is left to the block reader.
func TestTailInDoubt(t *testing.T) {
	name := write(t, []byte("one\ntwo\n"))
	for _, tt := range []struct {
		what string
		name string
		size int64
		from Cursor
	}{
		{"the file is missing", name + ".missing", 8, Cursor{}},
		{"it cannot be read", filepath.Dir(name), 8, Cursor{}},
		{"it is shorter than its size", name, 9, Cursor{}},
		{"the offset is negative", name, 8, Cursor{Offset: -1}},
	} {
		if lines, to, ok := NewReader(0).tail(tt.name, tt.size, tt.from); ok {
			t.Errorf("%s: read %v up to %v", tt.what, lines, to)
		}
	}
}

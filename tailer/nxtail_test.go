package tailer

import (
	"os"
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

// The paths of descriptors are checked once and lead to every later file. Names of
// files are checked each time.
func TestPathsAreCheckedOnce(t *testing.T) {
	r := NewReader(0)
	if _, _, ok := r.readLive(closedFile(t), 2, Cursor{}); ok || r.reopenVerified {
		t.Fatalf("a closed file was read: %t, its path is verified: %t", ok, r.reopenVerified)
	}
	for _, content := range []string{"one\n", "two\n", "six\n"} {
		f := openContent(t, content)
		if content == "six\n" {
			noError(t, os.Rename(f.Name(), f.Name()+".old"))
			noError(t, os.WriteFile(f.Name(), []byte("bad\n"), 0o600))
		}
		lines, _, ok := r.readLive(f, 4, Cursor{})
		requireLive(t, ok)
		if got := string(lines[0].Bytes) + "\n"; got != content || r.reopenVerified != reopensDescriptors {
			t.Errorf("got %q, paths are verified: %t, want %q, %t", got, r.reopenVerified, content, reopensDescriptors)
		}
	}
}

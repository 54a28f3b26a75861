package tailer

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// newTree opens a directory with files in it. A directory next to it must never be
// read.
func newTree(t *testing.T) *os.Root {
	t.Helper()
	top := t.TempDir()
	for _, d := range []string{"root/sub/x.jsonl", "outside"} {
		noError(t, os.MkdirAll(filepath.Join(top, d), 0o700))
	}
	for _, f := range []string{"root/a.jsonl", "root/sub/b.jsonl", "outside/secret.jsonl"} {
		noError(t, os.WriteFile(filepath.Join(top, f), []byte(f), 0o600))
	}
	root, err := os.OpenRoot(filepath.Join(top, "root"))
	noError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func TestOpen(t *testing.T) {
	root := newTree(t)
	for _, link := range []struct{ to, at string }{
		{"a.jsonl", "inside.jsonl"},
		{"../outside/secret.jsonl", "out.jsonl"},
		{"nowhere", "dangling.jsonl"},
		{"sub", "dir"},
		{"../outside", "outdir"},
	} {
		if err := root.Symlink(link.to, link.at); err != nil {
			t.Skip("no symbolic links on this system:", err)
		}
	}
	for rel, want := range map[string]string{
		"a.jsonl": "root/a.jsonl", "sub/b.jsonl": "root/sub/b.jsonl", "dir/b.jsonl": "root/sub/b.jsonl",
	} {
		f, info, err := Open(root, rel)
		noError(t, err)
		if int(info.Size()) != len(want) {
			t.Errorf("Open(%s): %d bytes, want %d", rel, info.Size(), len(want))
		}
		if got, err := io.ReadAll(f); err != nil || string(got) != want {
			t.Errorf("Open(%s): read %q, %v, want %q", rel, got, err, want)
		}
		noError(t, f.Close())
	}
	for rel, want := range map[string]error{
		"missing.jsonl":           fs.ErrNotExist,
		"sub/x.jsonl":             ErrNotRegular,
		".":                       ErrNotRegular,
		"inside.jsonl":            ErrNotRegular,
		"out.jsonl":               ErrNotRegular,
		"dangling.jsonl":          ErrNotRegular,
		"outdir/secret.jsonl":     nil, // any error
		"../outside/secret.jsonl": nil, // any error
	} {
		f, _, err := Open(root, rel)
		if err == nil {
			_ = f.Close()
		}
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("Open(%s): got error %v, want %v", rel, err, want)
		}
	}
	_, _, err := Open(root, "sub/x.jsonl")
	if want := "open sub/x.jsonl: not a regular file"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestConfirm(t *testing.T) {
	root := newTree(t)
	f := openFile(t, filepath.Join(root.Name(), "a.jsonl"))
	for rel, want := range map[string]error{"a.jsonl": nil, "sub/b.jsonl": ErrReplaced} {
		info, err := root.Lstat(rel)
		noError(t, err)
		if _, err := confirm(f, info); !errors.Is(err, want) {
			t.Errorf("confirm(a.jsonl, %s) = %v, want %v", rel, err, want)
		}
	}
}

func TestIdentify(t *testing.T) {
	dir := t.TempDir()
	path, other, moved := filepath.Join(dir, "one"), filepath.Join(dir, "two"), filepath.Join(dir, "moved")
	noError(t, os.WriteFile(path, []byte("one"), 0o600))
	noError(t, os.WriteFile(other, []byte("two"), 0o600))
	identify := func(path string) ID {
		t.Helper()
		f, err := os.Open(path)
		noError(t, err)
		defer func() { _ = f.Close() }()
		id, err := Identify(f)
		if err != nil || id == (ID{}) {
			t.Fatalf("got ID %v, %v, want any other", id, err)
		}
		info, err := f.Stat()
		noError(t, err)
		if same, err := IdentifyStat(f, info); err != nil || same != id {
			t.Errorf("IdentifyStat: got ID %v, %v, want %v", same, err, id)
		}
		return id
	}
	first, second := identify(path), identify(other)
	if second == first {
		t.Errorf("two files have the same ID %v", first)
	}
	appendTo(t, path, "more")
	if id := identify(path); id != first {
		t.Errorf("grown: got %v, want %v", id, first)
	}
	noError(t, os.Rename(path, moved))
	if id := identify(moved); id != first {
		t.Errorf("renamed: got %v, want %v", id, first)
	}
	noError(t, os.Rename(other, moved))
	if id := identify(moved); id != second {
		t.Errorf("replaced: got %v, want %v", id, second)
	}
	if id, err := Identify(closedFile(t)); err == nil {
		t.Errorf("closed: got %v, want an error", id)
	}
}

package tailer

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// tree makes a directory to open files in, and one beside it that must never be read.
func tree(t *testing.T) *os.Root {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "root")
	for _, d := range []string{filepath.Join(dir, "sub", "x.jsonl"), filepath.Join(top, "outside")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"root/a.jsonl", "root/sub/b.jsonl", "outside/secret.jsonl"} {
		if err := os.WriteFile(filepath.Join(top, f), []byte(f), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func TestOpen(t *testing.T) {
	root := tree(t)
	for _, link := range []struct{ to, at string }{
		{"a.jsonl", "inside.jsonl"},
		{"../outside/secret.jsonl", "out.jsonl"},
		{"nowhere", "dangling.jsonl"},
		{"sub", "dir"},
		{"../outside", "outdir"},
	} {
		if err := root.Symlink(link.to, link.at); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	escapes := errors.New("any error")
	for _, tt := range []struct {
		rel  string
		want string
		err  error
	}{
		{rel: "a.jsonl", want: "root/a.jsonl"},
		{rel: "sub/b.jsonl", want: "root/sub/b.jsonl"},
		{rel: "dir/b.jsonl", want: "root/sub/b.jsonl"},
		{rel: "missing.jsonl", err: fs.ErrNotExist},
		{rel: "sub/x.jsonl", err: ErrNotRegular},
		{rel: ".", err: ErrNotRegular},
		{rel: "inside.jsonl", err: ErrNotRegular},
		{rel: "out.jsonl", err: ErrNotRegular},
		{rel: "dangling.jsonl", err: ErrNotRegular},
		{rel: "outdir/secret.jsonl", err: escapes},
		{rel: "../outside/secret.jsonl", err: escapes},
	} {
		t.Run(tt.rel, func(t *testing.T) {
			f, err := Open(root, tt.rel)
			if tt.err != nil {
				if err == nil {
					_ = f.Close()
				}
				if err == nil || !errors.Is(tt.err, escapes) && !errors.Is(err, tt.err) {
					t.Fatalf("Open: error %v, want %v", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			if b, err := io.ReadAll(f); err != nil || string(b) != tt.want {
				t.Fatalf("read %q, %v; want %q", b, err, tt.want)
			}
		})
	}
}

func TestOpenNamesThePath(t *testing.T) {
	_, err := Open(tree(t), "sub/x.jsonl")
	if want := "open sub/x.jsonl: not a regular file"; err == nil || err.Error() != want {
		t.Fatalf("error %v, want %s", err, want)
	}
}

func TestConfirm(t *testing.T) {
	root := tree(t)
	f := open(t, filepath.Join(root.Name(), "a.jsonl"))
	for rel, want := range map[string]error{"a.jsonl": nil, "sub/b.jsonl": ErrReplaced} {
		info, err := root.Lstat(rel)
		if err != nil {
			t.Fatal(err)
		}
		if err := confirm(f, info); !errors.Is(err, want) {
			t.Errorf("confirm(a.jsonl, %s) = %v, want %v", rel, err, want)
		}
	}
}

func TestIdentify(t *testing.T) {
	name := write(t, []byte("one"))
	dir := filepath.Dir(name)
	identify := func(name string) ID {
		t.Helper()
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		id, err := Identify(f)
		if err != nil {
			t.Fatal(err)
		}
		if id == (ID{}) {
			t.Fatal("the ID is empty")
		}
		return id
	}
	first := identify(name)

	appendTo(t, name, []byte("more"))
	if id := identify(name); id != first {
		t.Errorf("grown: %v, want %v", id, first)
	}
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	second := identify(other)
	if second == first {
		t.Errorf("two files share %v", first)
	}
	moved := filepath.Join(dir, "moved")
	if err := os.Rename(name, moved); err != nil {
		t.Fatal(err)
	}
	if id := identify(moved); id != first {
		t.Errorf("renamed: %v, want %v", id, first)
	}
	if err := os.Rename(other, moved); err != nil {
		t.Fatal(err)
	}
	if id := identify(moved); id != second {
		t.Errorf("replaced: %v, want %v", id, second)
	}
}

func TestIdentifyClosed(t *testing.T) {
	f := open(t, write(t, nil))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if id, err := Identify(f); err == nil {
		t.Fatalf("a closed file is %v", id)
	}
}

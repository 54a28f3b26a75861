package watcher

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestWalk(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, f := range []string{"z.log", "p/1.log", "p/2.log", "p/q/r/3.log", "p-q/4.log", "x.txt", "skip.log", "cache/5.log", "p/cache/6.log", "cache.log"} {
		write(t, a, f)
	}
	mkdir(t, a, "dir.log")
	write(t, a, "dir.log/7.log")
	mkdir(t, a, "empty")
	write(t, b, "8.log")

	found, errs := Walk(t.Context(), options(b, a))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := []string{"0:8.log", "1:cache.log", "1:dir.log/7.log", "1:p-q/4.log", "1:p/1.log", "1:p/2.log", "1:p/q/r/3.log", "1:z.log"}
	if got := names(found); !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	for _, f := range found {
		root := []string{b, a}[f.Root]
		info, err := os.Lstat(filepath.Join(root, f.Rel))
		if err != nil {
			t.Fatal(err)
		}
		if f.Info.Size() != 5 || !f.Info.ModTime().Equal(info.ModTime()) {
			t.Errorf("%v: size %d, changed at %v, want 5, %v", f.File, f.Info.Size(), f.Info.ModTime(), info.ModTime())
		}
	}
}

// Where a walk tells which file it is, two names of one file tell the same, and other files tell otherwise.
func TestWalkTellsIdentity(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.log")
	write(t, dir, "c.log")
	if err := os.Link(filepath.Join(dir, "a.log"), filepath.Join(dir, "b.log")); err != nil {
		t.Skip("no hard links here:", err)
	}
	found, errs := Walk(t.Context(), options(dir))
	if len(found) != 3 || errs != nil {
		t.Fatal(found, errs)
	}
	type id struct{ device, inode uint64 }
	var ids []id
	for _, f := range found {
		device, inode, ok := f.Info.Identity()
		if ok != (runtime.GOOS != "windows") {
			t.Fatalf("%v: it is told: %v", f.File, ok)
		}
		ids = append(ids, id{device, inode})
	}
	if runtime.GOOS != "windows" && (ids[0] != ids[1] || ids[0] == ids[2]) {
		t.Errorf("got %v", ids)
	}
}

func TestWalkOfAllFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "cache/x.txt")
	found, errs := Walk(t.Context(), Options{Roots: []string{dir}})
	if got := names(found); !slices.Equal(got, []string{"0:cache/x.txt"}) || errs != nil {
		t.Errorf("got %v, %v", got, errs)
	}
}

// Each file is reported once, under the nearest root; links are followed where they are roots, and nowhere else.
func TestWalkOfEntangledRoots(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/1.log")
	write(t, dir, "a/b/2.log")
	write(t, dir, "a/b/c/3.log")
	write(t, dir, "a/cache/4.log")
	write(t, dir, "elsewhere/5.log")
	in := func(p string) string { return filepath.Join(dir, p) }
	symlink(t, in("a"), in("link"))
	symlink(t, in("elsewhere"), in("a/out"))
	symlink(t, in("a/1.log"), in("a/b/link.log"))
	symlink(t, in("a"), in("a/b/loop"))

	for _, tc := range []struct {
		name  string
		roots []string
		want  []string
	}{
		{"one", []string{"a"}, []string{"0:1.log", "0:b/2.log", "0:b/c/3.log"}},
		{"nested", []string{"a", "a/b"}, []string{"0:1.log", "1:2.log", "1:c/3.log"}},
		{"nested the other way round", []string{"a/b/c", "a"}, []string{"0:3.log", "1:1.log", "1:b/2.log"}},
		{"twice", []string{"a", "a"}, []string{"0:1.log", "0:b/2.log", "0:b/c/3.log"}},
		{"by its name and by a link", []string{"link", "a"}, []string{"0:1.log", "0:b/2.log", "0:b/c/3.log"}},
		{"nested through a link", []string{"a", "link/b"}, []string{"0:1.log", "1:2.log", "1:c/3.log"}},
		{"in what is skipped", []string{"a", "a/cache"}, []string{"0:1.log", "0:b/2.log", "0:b/c/3.log", "1:4.log"}},
		{"a link inside", []string{"a/out"}, []string{"0:5.log"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			roots := make([]string, len(tc.roots))
			for i, r := range tc.roots {
				roots[i] = filepath.Join(dir, filepath.FromSlash(r))
			}
			found, errs := Walk(t.Context(), options(roots...))
			if got := names(found); !slices.Equal(got, tc.want) || errs != nil {
				t.Errorf("got %v, %v\nwant %v", got, errs, tc.want)
			}
		})
	}
}

func TestWalkWithoutRoots(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file")
	write(t, dir, "there/1.log")
	in := func(p string) string { return filepath.Join(dir, p) }
	found, errs := Walk(t.Context(), options(in("missing"), in("there"), in("file")))
	if got := names(found); !slices.Equal(got, []string{"1:1.log"}) {
		t.Errorf("got %v", got)
	}
	if len(errs) != 2 || !errors.Is(errs[0], fs.ErrNotExist) || !isNotExist(errs[1]) {
		t.Errorf("got errors %v, want one for each that is missing", errs)
	}
	if found, errs = Walk(t.Context(), options()); found == nil || len(found) > 0 || errs != nil {
		t.Errorf("no roots: got %v, %v", found, errs)
	}
}

func TestWalkThatIsEnded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "1.log")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, errs := Walk(ctx, options(dir)); len(errs) != 1 || !errors.Is(errs[0], context.Canceled) {
		t.Errorf("got %v, want that it was ended", errs)
	}
}

// Nothing falls between being watched and being read: what appears after the first is seen by the second.
func TestWalkEntersBeforeItReads(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, dir, "p/q")
	o := options(dir)
	made := walkRoots(t.Context(), o, findRoots(o.Roots), func(dir string) { write(t, dir, "late.log") })
	if got, want := names(made.files), []string{"0:late.log", "0:p/late.log", "0:p/q/late.log"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// unreadable makes a directory that no user can read, since its path is longer than the system takes, and returns its path.
func unreadable(t *testing.T, dir string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the length of paths is limited in other ways here")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	part := strings.Repeat("d", 200)
	for len(dir) < 4096 {
		if err := root.Mkdir(part, 0o700); err != nil {
			t.Fatal(err)
		}
		next, err := root.OpenRoot(part)
		if err != nil {
			t.Fatal(err)
		}
		if err := root.Close(); err != nil {
			t.Fatal(err)
		}
		root, dir = next, filepath.Join(dir, part)
	}
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWalkOfUnreadable(t *testing.T) {
	dir := t.TempDir()
	in := func(p string) string { return filepath.Join(dir, p) }
	write(t, dir, "a/1.log")
	deep := unreadable(t, mkdir(t, dir, "a/deep"))
	symlink(t, in("loop"), in("loop"))
	o := options(in("a"), in("loop"))
	found, errs := Walk(t.Context(), o)
	if got := names(found); !slices.Equal(got, []string{"0:1.log"}) {
		t.Errorf("got %v", got)
	}
	if len(errs) != 2 {
		t.Fatalf("got %d errors, want one for the directory and one for the root", len(errs))
	}
	u := Update{Tree: found, Unreadable: walkRoots(t.Context(), o, findRoots(o.Roots), func(string) {}).unreadable}
	rel, ok := relBelow(in("a"), deep)
	if want := []File{{0, rel}, {1, "."}}; !ok || !slices.Equal(u.Unreadable, want) {
		t.Errorf("unreadable: got %v\nwant %v", u.Unreadable, want)
	}
}

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

// checkFound compares the files that a walk has found.
func checkFound(t *testing.T, found []FoundFile, want ...string) {
	t.Helper()
	if got := formatAll(found); !slices.Equal(got, want) {
		t.Errorf("got files %v\nwant %v", got, want)
	}
}

// checkWalk walks without errors and returns the files.
func checkWalk(t *testing.T, o Options, want ...string) []FoundFile {
	t.Helper()
	found, errs := Walk(t.Context(), o)
	if errs != nil {
		t.Errorf("got errors %v, want none", errs)
	}
	checkFound(t, found, want...)
	return found
}

func TestWalk(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, f := range []string{
		"z.log", "p/1.log", "p/2.log", "p/q/r/3.log", "p-q/4.log", "dir.log/7.log", "cache.log",
		"x.txt", "skip.log", "cache/5.log", "p/cache/6.log",
	} {
		write(t, a, f)
	}
	mkdir(t, a, "empty")
	write(t, b, "8.log")

	found := checkWalk(t, eventOptions(b, a), "0:8.log", "1:cache.log", "1:dir.log/7.log", "1:p-q/4.log",
		"1:p/1.log", "1:p/2.log", "1:p/q/r/3.log", "1:z.log")
	for _, f := range found {
		root := []string{b, a}[f.Root]
		info, err := os.Lstat(filepath.Join(root, f.Rel))
		noError(t, err)
		if f.Info.Size() != 5 || !f.Info.ModTime().Equal(info.ModTime()) {
			t.Errorf("%v: got size %d, time %v, want 5, %v", f.File, f.Info.Size(), f.Info.ModTime(), info.ModTime())
		}
		if got, err := Stat(root, f.File); got != f || err != nil {
			t.Errorf("Stat(%v) = %v, %v, want %v", f.File, got, err, f)
		}
	}
	if _, err := Stat(a, File{Rel: "empty"}); !errors.Is(err, errNotRegular) {
		t.Errorf("Stat of a directory: got error %v, want %v", err, errNotRegular)
	}
}

// Two names of a file have the same identity. Other files have other identities.
func TestWalkIdentity(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.log")
	write(t, dir, "c.log")
	if err := os.Link(filepath.Join(dir, "a.log"), filepath.Join(dir, "b.log")); err != nil {
		t.Skip("no hard links on this system:", err)
	}
	type id struct{ device, inode uint64 }
	var ids []id
	for _, f := range checkWalk(t, eventOptions(dir), "0:a.log", "0:b.log", "0:c.log") {
		device, inode, ok := f.Info.Identity()
		if want := runtime.GOOS != "windows"; ok != want {
			t.Fatalf("%v: got identity %v, want %v", f.File, ok, want)
		}
		ids = append(ids, id{device, inode})
	}
	if runtime.GOOS != "windows" && (ids[0] != ids[1] || ids[0] == ids[2]) {
		t.Errorf("got %v, want only the first two to be equal", ids)
	}
}

func TestWalkSelectsAllFilesByDefault(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "cache/x.txt")
	checkWalk(t, Options{Roots: []string{dir}}, "0:cache/x.txt")
}

// Directories are excluded by their path below the root, through a link too.
func TestWalkSkipsByPath(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"a/cache/1.log", "a/p/cache/2.log", "b/cache/3.log"} {
		write(t, dir, f)
	}
	linkTo(t, "../b", dir, "a/link")
	linkTo(t, "../../b", dir, "a/p/link")
	o := eventOptions(filepath.Join(dir, "a"))
	o.SkipDir = func(rel string) bool { return filepath.ToSlash(rel) == "p/cache" }
	checkWalk(t, o, "0:cache/1.log", "0:link/cache/3.log")
	o.SkipDir = func(rel string) bool { return filepath.ToSlash(rel) == "link/cache" }
	checkWalk(t, o, "0:cache/1.log", "0:p/cache/2.log")
}

// Each file is reported once, below the nearest root.
func TestWalkOverlappingRoots(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"a/1.log", "a/b/2.log", "a/b/c/3.log", "a/cache/4.log", "elsewhere/5.log"} {
		write(t, dir, f)
	}
	symlink(t, dir, "a", "link")
	symlink(t, dir, "elsewhere", "a/out")
	symlink(t, dir, "a/1.log", "a/b/link.log")
	symlink(t, dir, "a", "a/b/loop")

	for _, tc := range []struct {
		name  string
		roots []string
		want  []string
	}{
		{"one", []string{"a"}, []string{"0:1.log", "0:b/2.log", "0:b/c/3.log", "0:out/5.log"}},
		{"nested, outer first", []string{"a", "a/b"}, []string{"0:1.log", "0:out/5.log", "1:2.log", "1:c/3.log"}},
		{"nested, inner first", []string{"a/b/c", "a"}, []string{"0:3.log", "1:1.log", "1:b/2.log", "1:out/5.log"}},
		{"same twice", []string{"a", "a"}, []string{"0:1.log", "0:b/2.log", "0:b/c/3.log", "0:out/5.log"}},
		{"link and its target", []string{"link", "a"}, []string{"0:1.log", "0:b/2.log", "0:b/c/3.log", "0:out/5.log"}},
		{"nested through a link", []string{"a", "link/b"}, []string{"0:1.log", "0:out/5.log", "1:2.log", "1:c/3.log"}},
		{"in a skipped directory", []string{"a", "a/cache"}, []string{"0:1.log", "0:b/2.log", "0:b/c/3.log", "0:out/5.log", "1:4.log"}},
		{"link in another directory", []string{"a/out"}, []string{"0:5.log"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			roots := make([]string, len(tc.roots))
			for i, r := range tc.roots {
				roots[i] = filepath.Join(dir, filepath.FromSlash(r))
			}
			checkWalk(t, eventOptions(roots...), tc.want...)
		})
	}
}

func TestWalkMissingRoots(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file")
	write(t, dir, "present/1.log")
	o := eventOptions(filepath.Join(dir, "missing"), filepath.Join(dir, "present"), filepath.Join(dir, "file"))
	found, errs := Walk(t.Context(), o)
	checkFound(t, found, "1:1.log")
	if len(errs) != 2 || !errors.Is(errs[0], fs.ErrNotExist) || !isNotExist(errs[1]) {
		t.Errorf("got errors %v, want one for each missing root", errs)
	}
	if found := checkWalk(t, eventOptions()); found == nil {
		t.Error("got nil without roots, want an empty list")
	}
}

func TestWalkCanceled(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "1.log")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, errs := Walk(ctx, eventOptions(dir)); len(errs) != 1 || !errors.Is(errs[0], context.Canceled) {
		t.Errorf("got errors %v, want %v", errs, context.Canceled)
	}
}

// A directory is watched before it is read, so a file created in between is found.
func TestWalkEntersDirectoryBeforeReadingIt(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, dir, "p/q")
	o := eventOptions(dir).withDefaults()
	tree := walkRoots(t.Context(), o, findRoots(o), func(dir string) { write(t, dir, "late.log") })
	checkFound(t, tree.files, "0:late.log", "0:p/late.log", "0:p/q/late.log")
}

// mkUnreadable makes a directory that even root cannot read, because its path is too
// long, and returns the path.
func mkUnreadable(t *testing.T, elem ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("paths are not limited to 4096 bytes on this system")
	}
	dir := mkdir(t, elem...)
	root, err := os.OpenRoot(dir)
	noError(t, err)
	part := strings.Repeat("d", 200)
	for len(dir) < 4096 {
		noError(t, root.Mkdir(part, 0o700))
		next, err := root.OpenRoot(part)
		noError(t, err)
		noError(t, root.Close())
		root, dir = next, filepath.Join(dir, part)
	}
	noError(t, root.Close())
	return dir
}

func TestWalkUnreadableDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/1.log")
	deep := mkUnreadable(t, dir, "a/deep")
	symlink(t, dir, "loop", "loop")
	o := eventOptions(filepath.Join(dir, "a"), filepath.Join(dir, "loop"))
	found, errs := Walk(t.Context(), o)
	checkFound(t, found, "0:1.log")
	if len(errs) != 2 {
		t.Fatalf("got %d errors, want one for the directory and one for the root", len(errs))
	}
	unreadable := walkRoots(t.Context(), o.withDefaults(), findRoots(o.withDefaults()), func(string) {}).unreadable
	rel, ok := relBelow(filepath.Join(dir, "a"), deep)
	if want := []File{{0, rel}, {1, "."}}; !ok || !slices.Equal(unreadable, want) {
		t.Errorf("got unreadable directories %v\nwant %v", unreadable, want)
	}
}

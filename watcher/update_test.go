package watcher

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"
)

func TestUpdateRemoved(t *testing.T) {
	at := func(root int, rel string) File { return File{root, filepath.FromSlash(rel)} }
	walked := func(files ...File) []FoundFile {
		tree := []FoundFile{}
		for _, f := range files {
			tree = append(tree, FoundFile{File: f})
		}
		return tree
	}
	file := at(0, "d/a.log")
	for _, tc := range []struct {
		name   string
		update Update
		want   bool
	}{
		{"no walk", Update{}, false},
		{"empty tree", Update{Tree: walked()}, true},
		{"found", Update{Tree: walked(at(0, "a"), file, at(1, "a"))}, false},
		{"others found", Update{Tree: walked(at(0, "a"), at(0, "d/b.log"), at(1, "d/a.log"))}, true},
		{"dirty", Update{Tree: walked(), Dirty: []File{file, at(1, "d/a.log")}}, false},
		{"others dirty", Update{Tree: walked(), Dirty: []File{at(1, "d/a.log")}}, true},
		{"unreadable root", Update{Tree: walked(), Unreadable: []File{at(0, ".")}}, false},
		{"another unreadable root", Update{Tree: walked(), Unreadable: []File{at(1, ".")}}, true},
		{"in an unreadable directory", Update{Tree: walked(), Unreadable: []File{at(0, "d"), at(0, "x")}}, false},
		{"next to unreadable directories", Update{Tree: walked(), Unreadable: []File{at(0, "d/a"), at(0, "d2")}}, true},
		{"above an unreadable directory", Update{Tree: walked(), Unreadable: []File{at(0, "d/e")}}, true},
		{"unreadable in another root", Update{Tree: walked(), Unreadable: []File{at(1, "d")}}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.update.Removed(file); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// A file created during a walk must not seem to be removed when the walk ends.
func TestDirtyDuringWalk(t *testing.T) {
	g := newAccumulator()
	g.markDirty("/r/before.log")
	g.beginWalk(newRoots([]root{{path: "/r", real: "/r"}}))
	g.markDirty("/r/during.log")
	if u := g.take(); len(u.Dirty) != 2 {
		t.Errorf("during the walk: got dirty files %v, want 2", u.Dirty)
	}
	g.endWalk(tree{files: []FoundFile{}})
	u := g.take()
	if want := []File{{0, "during.log"}}; !slices.Equal(u.Dirty, want) {
		t.Errorf("with the tree: got dirty files %v, want %v", u.Dirty, want)
	}
	for rel, want := range map[string]bool{"before.log": true, "during.log": false} {
		if got := u.Removed(File{0, rel}); got != want {
			t.Errorf("Removed(%s) = %v, want %v", rel, got, want)
		}
	}
	g.markDirty("/r/after.log")
	if u := g.take(); u.Tree != nil || len(u.Dirty) != 1 {
		t.Errorf("after the walk: got %v, want no tree and 1 dirty file", u)
	}
}

func TestRelBelow(t *testing.T) {
	for _, tc := range []struct {
		dir, path, want string
		ok              bool
	}{
		{"/a", "/a/b", "b", true},
		{"/a", "/a/b/c", "b/c", true},
		{"/", "/a/b", "a/b", true},
		{"a", "a/b", "b", true},
		{"/a", "/a", "", false},
		{"/a", "/ab", "", false},
		{"/a/b", "/a", "", false},
		{"/", "/", "", false},
		{"/a", "", "", false},
	} {
		rel, ok := relBelow(filepath.FromSlash(tc.dir), filepath.FromSlash(tc.path))
		if filepath.ToSlash(rel) != tc.want || ok != tc.ok {
			t.Errorf("relBelow(%q, %q) = %q, %v, want %q, %v", tc.dir, tc.path, rel, ok, tc.want, tc.ok)
		}
	}
}

func TestCompareFiles(t *testing.T) {
	sorted := []File{{0, "b"}, {1, "a"}, {1, "b"}}
	for i, a := range sorted {
		for j, b := range sorted {
			if got, want := a.Compare(b), cmp.Compare(i, j); got != want {
				t.Errorf("%v.Compare(%v) = %d, want %d", a, b, got, want)
			}
		}
	}
}

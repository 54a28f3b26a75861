package watcher

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestGone(t *testing.T) {
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
		{"an empty tree", Update{Tree: walked()}, true},
		{"found", Update{Tree: walked(at(0, "a"), file, at(1, "a"))}, false},
		{"others found", Update{Tree: walked(at(0, "a"), at(0, "d/b.log"), at(1, "d/a.log"))}, true},
		{"heard of since", Update{Tree: walked(), Dirty: []File{at(1, "d/a.log"), file}}, false},
		{"others heard of", Update{Tree: walked(), Dirty: []File{at(1, "d/a.log")}}, true},
		{"an unreadable root", Update{Tree: walked(), Unreadable: []File{at(0, ".")}}, false},
		{"another unreadable root", Update{Tree: walked(), Unreadable: []File{at(1, ".")}}, true},
		{"in an unreadable directory", Update{Tree: walked(), Unreadable: []File{at(0, "x"), at(0, "d")}}, false},
		{"beside one", Update{Tree: walked(), Unreadable: []File{at(0, "d/a"), at(0, "d2")}}, true},
		{"above one", Update{Tree: walked(), Unreadable: []File{at(0, "d/e")}}, true},
		{"in its namesake of another root", Update{Tree: walked(), Unreadable: []File{at(1, "d")}}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.update.Removed(file); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// A file that appears behind the back of a walk must not seem to have gone when the walk ends.
func TestTouchedDuringWalk(t *testing.T) {
	g := newAccumulator()
	g.markDirty("/r/before.log")
	g.beginWalk(roots{{path: "/r", real: "/r"}})
	g.markDirty("/r/during.log")
	if u := g.take(); len(u.Dirty) != 2 {
		t.Errorf("dirty before the walk has ended: %v", u.Dirty)
	}
	g.endWalk(tree{files: []FoundFile{}})
	u := g.take()
	if want := []File{{0, "during.log"}}; !slices.Equal(u.Dirty, want) {
		t.Errorf("dirty with the tree: got %v, want %v", u.Dirty, want)
	}
	if u.Removed(File{0, "during.log"}) || !u.Removed(File{0, "before.log"}) {
		t.Error("only what was touched before the walk can have gone")
	}
	g.markDirty("/r/after.log")
	if u := g.take(); u.Tree != nil || len(u.Dirty) != 1 {
		t.Errorf("after the walk: got %v", u)
	}
}

func TestBelow(t *testing.T) {
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
			t.Errorf("below(%q, %q) = %q, %v, want %q, %v", tc.dir, tc.path, rel, ok, tc.want, tc.ok)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		a, b File
		want int
	}{
		{File{0, "b"}, File{1, "a"}, -1},
		{File{1, "a"}, File{0, "b"}, 1},
		{File{1, "a"}, File{1, "b"}, -1},
		{File{1, "b"}, File{1, "a"}, 1},
		{File{1, "a"}, File{1, "a"}, 0},
	} {
		if got := tc.a.Compare(tc.b); got != tc.want {
			t.Errorf("%v against %v: got %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

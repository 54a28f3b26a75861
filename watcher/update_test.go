package watcher

import (
	"path/filepath"
	"testing"
)

func TestCovers(t *testing.T) {
	at := func(root int, rel string) File { return File{root, filepath.FromSlash(rel)} }
	for _, tc := range []struct {
		name       string
		tree       []Found
		unreadable []File
		file       File
		want       bool
	}{
		{"no walk", nil, nil, at(0, "a.log"), false},
		{"a walk", []Found{}, nil, at(0, "a.log"), true},
		{"an unreadable root", []Found{}, []File{at(0, ".")}, at(0, "d/a.log"), false},
		{"another unreadable root", []Found{}, []File{at(1, ".")}, at(0, "d/a.log"), true},
		{"in an unreadable directory", []Found{}, []File{at(0, "x"), at(0, "d")}, at(0, "d/a.log"), false},
		{"far below one", []Found{}, []File{at(0, "d")}, at(0, "d/e/f/a.log"), false},
		{"beside one", []Found{}, []File{at(0, "d")}, at(0, "d2/a.log"), true},
		{"above one", []Found{}, []File{at(0, "d/e")}, at(0, "d/a.log"), true},
		{"in its namesake of another root", []Found{}, []File{at(1, "d")}, at(0, "d/a.log"), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := (Update{Tree: tc.tree, Unreadable: tc.unreadable}).Covers(tc.file); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
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
		rel, ok := below(filepath.FromSlash(tc.dir), filepath.FromSlash(tc.path))
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

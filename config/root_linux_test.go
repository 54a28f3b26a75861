package config

import (
	"path/filepath"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/mounttest"
)

// A mounted directory is recognized, like a name in different case where the file
// system ignores case.
func TestMountedRoots(t *testing.T) {
	if !mounttest.InNamespaces(t) {
		return
	}
	dir := realTempDir(t)
	at := func(name string) Source { return Source{Path: filepath.Join(dir, name)} }
	mkdir(t, dir, "a/b")
	mounttest.Bind(t, filepath.Join(dir, "a"), filepath.Join(dir, "c"))
	for _, test := range []struct {
		name    string
		sources []Source
		want    []string
		err     string
	}{
		{"the same", []Source{at("a"), at("c")}, []string{"a"}, ""},
		{"the same inside", []Source{at("c/b"), at("a/b")}, []string{"c/b"}, ""},
		{"inside", []Source{at("c/b"), at("a")}, nil, "sources[0].path: DIR/c/b is inside DIR/a of sources[1]: its files would be read twice"},
		{"missing inside", []Source{at("a"), at("c/x/y")}, nil, "sources[1].path: DIR/c/x/y is inside DIR/a of sources[0]: its files would be read twice"},
	} {
		roots, _, err := (&Config{Sources: test.sources}).Roots()
		if got := message(err, dir); got != test.err {
			t.Errorf("%s: got error %q, want %q", test.name, got, test.err)
		}
		if got := paths(t, dir, roots); len(got) != len(test.want) || len(got) > 0 && got[0] != test.want[0] {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

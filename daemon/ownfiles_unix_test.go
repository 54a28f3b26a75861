//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ccwatchd/ccwatchd/follow"
)

func TestAreOwn(t *testing.T) {
	own, other := t.TempDir(), "/"
	if os.Geteuid() == 0 {
		other = t.TempDir()
		if err := os.Chown(other, 1, 1); err != nil {
			t.Skip(err)
		}
	}
	missing := filepath.Join(own, "missing")
	link := filepath.Join(own, "link")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		paths []string
		want  bool
	}{
		{nil, true},
		{[]string{own, missing}, true},
		{[]string{own, other}, false},
		{[]string{link}, false},
	} {
		var sources []follow.Source
		for _, path := range test.paths {
			sources = append(sources, follow.Source{Path: path})
		}
		if got := areOwn(sources); got != test.want {
			t.Errorf("%q: got %v", test.paths, got)
		}
	}
}

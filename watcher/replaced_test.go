package watcher

import (
	"path/filepath"
	"strings"
	"testing"
)

// A directory that was replaced by a symbolic link or a file no longer exists, and the
// files behind the link are not reported.
func TestDirectoryReplacedByOther(t *testing.T) {
	for name, replace := range map[string]func(dir, elsewhere, path string){
		"link": func(dir, elsewhere, path string) { symlink(t, "", elsewhere, filepath.Join(dir, path)) },
		"file": func(dir, _, path string) { write(t, dir, path) },
	} {
		for _, path := range []string{"p", "p/q", "p/q/r"} {
			t.Run(name+"_"+strings.ReplaceAll(path, "/", "_"), func(t *testing.T) {
				dir, elsewhere := t.TempDir(), t.TempDir()
				write(t, dir, "p/q/r/a.log")
				for _, below := range []string{"", "r", "q/r"} {
					write(t, elsewhere, below, "a.log")
					write(t, elsewhere, below, "b.log")
				}
				p := newPolled(t, dir, 0)
				remove(t, dir, path)
				replace(dir, elsewhere, path)
				p.finds("0:p/q/r/a.log")
				for _, below := range []string{"", "r", "q/r"} {
					write(t, elsewhere, below, "a.log")
					write(t, elsewhere, below, "c.log")
				}
				p.finds()
				if len(p.p.files) > 0 {
					t.Errorf("got files %v, want none", p.p.files)
				}
			})
		}
	}
}

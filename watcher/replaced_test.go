package watcher

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
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
				p.finds(dirCheck, "0:p/q/r/a.log")
				for _, below := range []string{"", "r", "q/r"} {
					write(t, elsewhere, below, "a.log")
					write(t, elsewhere, below, "c.log")
				}
				for _, later := range []time.Duration{hotCheck, dirCheck, granularity, fileCheck} {
					p.finds(later)
				}
				if p.files() != 0 {
					t.Errorf("got %d files, want none", p.files())
				}
			})
		}
	}
}

// A hot file is lost by its own check if a link has replaced its directory, or one
// above it.
func TestHotFileBehindLink(t *testing.T) {
	for _, file := range []string{"a.log", "q/r/a.log"} {
		t.Run(strings.ReplaceAll(file, "/", "_"), func(t *testing.T) {
			elsewhere := t.TempDir()
			p := polledFiles(t, 0, "p/"+file)
			write(t, elsewhere, file)
			remove(t, p.dir, "p")
			symlink(t, "", elsewhere, filepath.Join(p.dir, "p"))
			p.p.dirsAt = p.now.Add(time.Hour)
			p.finds(hotCheck, "0:p/"+file)
			write(t, elsewhere, file)
			p.finds(hotCheck)
		})
	}
}

package opendir

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
)

// Places caches the keys of parent directories, by path. A directory has one key even
// if its paths differ: by links, by mounts or, where the file system ignores them, by
// case and Unicode normalization. A missing directory has its path as key.
type Places map[string]string

// Above returns the keys of a directory and of its parents, from the inside out. The
// path must contain no links; info is nil if the directory is missing.
func (p Places) Above(path string, info fs.FileInfo) []string {
	own := ""
	if info != nil {
		own = key(info)
	}
	keys := []string{cmp.Or(own, path)}
	for parent := filepath.Dir(path); parent != path; parent = filepath.Dir(path) {
		path = parent
		keys = append(keys, p.key(path))
	}
	return keys
}

func (p Places) key(path string) string {
	known, ok := p[path]
	if !ok {
		if info, err := os.Stat(path); err == nil {
			known = key(info)
		}
		known = cmp.Or(known, path)
		p[path] = known
	}
	return known
}

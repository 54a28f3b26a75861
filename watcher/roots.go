package watcher

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/ccwatchd/ccwatchd/internal/opendir"
)

// A root is a directory to walk: one of Options.Roots, called a source here, or the
// target of a link directly below a source.
type root struct {
	source int         // index into Options.Roots
	link   string      // name of the link below the source; "" if the root is the source
	path   string      // as configured, or of the link
	real   string      // without symbolic links, see findRoots; equal to path if absent
	info   fs.FileInfo // nil if absent
	err    error       // the reason if absent
	skip   LinkReason  // why a link is absent, "" if its target cannot be read
}

// roots are the sources, in the order of Options.Roots, and then the links directly
// below them. Every directory belongs to the nearest root above it, or to the first of
// several roots that lead to the same directory, so each file is reported once.
type roots struct {
	all   []root
	byDir map[string]int // by real path, the first of several; index into all
	links map[File]int   // by the name of the link
}

func newRoots(all []root) roots {
	rs := roots{all, make(map[string]int, len(all)), make(map[File]int)}
	for i, r := range all {
		if _, taken := rs.byDir[r.real]; !taken {
			rs.byDir[r.real] = i
		}
		if r.link != "" {
			rs.links[File{r.source, r.link}] = i
		}
	}
	return rs
}

// findRoots resolves the sources and the links below them.
func findRoots(o Options) roots {
	return resolveRoots(o, func(_ int, dir *opendir.Dir) []string { return linksIn(dir, o.SkipDir) })
}

// again resolves the same sources and links again.
func (rs roots) again(o Options) roots {
	names := make([][]string, len(o.Roots))
	for _, r := range rs.all {
		if r.link != "" {
			names[r.source] = append(names[r.source], r.link)
		}
	}
	return resolveRoots(o, func(source int, _ *opendir.Dir) []string { return names[source] })
}

// resolveRoots resolves all sources, and the links of each source that a function
// names. Sources that are the same directory have the real path of the first source:
// paths may also differ by mounts, and on some file systems by case and Unicode
// normalization.
func resolveRoots(o Options, links func(source int, dir *opendir.Dir) []string) roots {
	found := make([]root, len(o.Roots))
	var names []root
	for i, path := range o.Roots {
		dir, err := opendir.Open(o.Bases[i], path)
		if err != nil {
			found[i] = findUnopened(i, path, o.Bases[i] == path, err)
		} else {
			found[i] = root{source: i, path: path, real: dir.Real, info: dir.Info}
		}
		same := func(r root) bool { return r.present() && os.SameFile(r.info, found[i].info) }
		if first := slices.IndexFunc(found[:i], same); first >= 0 {
			found[i].real = found[first].real
		} else if dir != nil {
			for _, name := range links(i, dir) {
				names = append(names, root{source: i, link: name, path: filepath.Join(path, name)})
			}
		}
		if dir != nil {
			_ = dir.Close()
		}
	}
	return newRoots(slices.Concat(found, followLinks(o, found, names)))
}

// findUnopened returns a source that could not be opened. If the directory exists, it
// is present, and unreadable. A path with parts that other users control may lead
// elsewhere by now, so it is not resolved again.
func findUnopened(source int, path string, trusted bool, err error) root {
	absent := root{source: source, path: path, real: path, err: err}
	if !trusted {
		return absent
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	if err != nil {
		absent.err = err
		return absent
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		resolved = path
	}
	return root{source: source, path: path, real: resolved, info: info}
}

// present reports whether the directory exists and is walked.
func (r root) present() bool { return r.info != nil }

// file returns the name of a file or directory below the root, or of the root itself if
// rel is ".".
func (r root) file(rel string) File {
	if r.link != "" {
		rel = filepath.Join(r.link, rel)
	}
	return File{Root: r.source, Rel: rel}
}

// name returns the name of the root, or of a file or directory below it.
func (r root) name(path string) File {
	rel, ok := relBelow(r.real, path)
	if !ok {
		rel = "."
	}
	return r.file(rel)
}

// same reports whether r and o are the same directory at the same path.
func (r root) same(o root) bool {
	return r.path == o.path && r.real == o.real && r.skip == o.skip && r.present() == o.present() &&
		(!r.present() || os.SameFile(r.info, o.info))
}

// open opens the directory, unless another directory has replaced it since it was
// found.
func (r root) open(o Options) (*opendir.Dir, error) {
	dir, err := opendir.Open(o.Bases[r.source], r.path)
	if err == nil && r.present() && !os.SameFile(r.info, dir.Info) {
		_ = dir.Close()
		err = &fs.PathError{Op: "open", Path: r.path, Err: errReplaced}
	}
	return dir, err
}

// same reports whether all roots are the same.
func (rs roots) same(others roots) bool { return slices.EqualFunc(rs.all, others.all, root.same) }

// rootAt returns the index of the root at a directory. ok is false if no root is there.
func (rs roots) rootAt(dir string) (i int, ok bool) {
	i, ok = rs.byDir[dir]
	return i, ok
}

// has reports whether a directory is a root.
func (rs roots) has(dir string) bool {
	_, ok := rs.byDir[dir]
	return ok
}

// nearest returns the root that contains a directory or file. ok is false if no root
// contains it.
func (rs roots) nearest(path string) (r root, ok bool) {
	for {
		if i, ok := rs.byDir[path]; ok {
			return rs.all[i], true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return root{}, false
		}
		path = parent
	}
}

// locate returns the name of the file at a real path. ok is false if no root contains
// it.
func (rs roots) locate(path string) (File, bool) {
	r, ok := rs.nearest(filepath.Dir(path))
	if !ok {
		return File{}, false
	}
	rel, ok := relBelow(r.real, path)
	return r.file(rel), ok
}

// name returns the name of the directory at a real path. ok is false if no root
// contains it.
func (rs roots) name(dir string) (f File, ok bool) {
	r, ok := rs.nearest(dir)
	return r.name(dir), ok
}

// path returns the real path of a file or directory.
func (rs roots) path(f File) string {
	if len(rs.links) > 0 {
		name, rest := firstName(f.Rel)
		if i, ok := rs.links[File{f.Root, name}]; ok {
			return filepath.Join(rs.all[i].real, rest)
		}
	}
	return filepath.Join(rs.all[f.Root].real, f.Rel)
}

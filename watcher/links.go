package watcher

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ccwatchd/ccwatchd/internal/opendir"
)

// A LinkReason is the reason why a symbolic link is not followed.
type LinkReason string

// The reasons. A link directly below a source is followed if it leads to a directory,
// so LinkNested applies to other links only.
const (
	LinkToFile   LinkReason = "file"     // it leads to a file
	LinkOwner    LinkReason = "owner"    // see opendir.ErrOwner
	LinkLoop     LinkReason = "loop"     // it leads to itself, to its source or to a directory above the source
	LinkDangling LinkReason = "dangling" // its target does not exist
	LinkNested   LinkReason = "nested"   // it is not directly below a source

	// notMissed is the reason of links that hide no file: to directories that are
	// walked anyway, and to files that are not selected.
	notMissed LinkReason = "none"
)

// LinkReasons returns all reasons.
func LinkReasons() []LinkReason {
	return []LinkReason{LinkDangling, LinkToFile, LinkLoop, LinkNested, LinkOwner}
}

// linksIn returns the names of the links in a directory, in order.
func linksIn(dir *opendir.Dir, skip func(rel string) bool) (names []string) {
	f, err := openIn(dir.Root, ".")
	if err != nil {
		return nil // the walk reports it
	}
	defer f.Close() //nolint:errcheck // only read
	entries, _ := f.ReadDir(-1)
	for _, e := range entries {
		if e.Type() == fs.ModeSymlink && !skip(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

// followLinks resolves links below sources, each directory once.
func followLinks(o Options, sources, links []root) []root {
	if len(links) == 0 {
		return nil
	}
	places := make(opendir.Places)
	above := make([][]string, len(sources))
	read := make(map[string]bool) // sources
	for i, r := range sources {
		if r.present() {
			above[i] = places.Above(r.real, r.info)
			read[above[i][0]] = true
		}
	}
	taken := make(map[string]bool) // targets of links
	for i := range links {
		l := &links[i]
		l.real = filepath.Join(sources[l.source].real, l.link)
		dir, err := l.open(o)
		if err != nil {
			l.err, l.skip = err, skipReason(err, l.link, o.Match)
			continue
		}
		_ = dir.Close()
		targetPlaces := places.Above(dir.Real, dir.Info)
		switch {
		case slices.Contains(above[l.source], targetPlaces[0]):
			l.skip = LinkLoop
		case taken[targetPlaces[0]] || slices.ContainsFunc(targetPlaces, func(place string) bool { return read[place] }):
			l.skip = notMissed
		default:
			taken[targetPlaces[0]] = true
			l.real, l.info = dir.Real, dir.Info
		}
	}
	return links
}

// skipReason returns why a link cannot be followed, "" if its target cannot be read.
func skipReason(err error, name string, match func(base string) bool) LinkReason {
	switch {
	case errors.Is(err, opendir.ErrOwner):
		return LinkOwner
	case errors.Is(err, syscall.ELOOP):
		return LinkLoop
	case errors.Is(err, fs.ErrNotExist):
		return LinkDangling
	case errors.Is(err, syscall.ENOTDIR) && match(name):
		return LinkToFile
	case errors.Is(err, syscall.ENOTDIR):
		return notMissed
	}
	return ""
}

// nested returns why a link that is not directly below a source is skipped.
func (w *walker) nested(path string) LinkReason {
	rel, _ := relBelow(w.root.real, path)
	link := root{source: w.root.source, path: filepath.Join(w.root.path, rel)}
	dir, err := link.open(w.o)
	if err != nil {
		return cmp.Or(skipReason(err, filepath.Base(path), w.o.Match), LinkNested)
	}
	_ = dir.Close()
	return LinkNested
}

// isLinkAt reports whether a link below a source has a path.
func (rs roots) isLinkAt(path string) bool {
	source, ok := rs.rootAt(filepath.Dir(path))
	_, link := rs.links[File{source, filepath.Base(path)}]
	return ok && link
}

// isSource reports whether a directory is a source.
func (rs roots) isSource(dir string) bool {
	i, ok := rs.rootAt(dir)
	return ok && rs.all[i].link == ""
}

// firstName splits a path after its first name.
func firstName(rel string) (name, rest string) {
	name, rest, _ = strings.Cut(rel, string(filepath.Separator))
	return name, rest
}

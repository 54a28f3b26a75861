package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/ccwatchd/ccwatchd/internal/opendir"
)

// A match is a directory that a source matches. It may be the same as another, or
// overlap others.
type match struct {
	Root
	source  int         // index in Config.Sources
	pattern bool        // the source is a pattern
	real    string      // the path without links
	info    fs.FileInfo // nil if the directory does not exist
	linked  bool        // reached by a link below Base
	places  []string    // of the directory and those above it, see opendir.Places
}

// Roots returns the directories that the sources currently match, in the order of the
// sources and sorted by name within a pattern. A directory that several sources match
// belongs to the first that reaches it without a link below the beginning of a pattern,
// or else to the first.
//
// A match of a pattern is dropped if it is inside or above another directory, since
// files would be read twice, and if its path has a link that fails the check of package
// opendir. Otherwise the users whose directories a pattern matches could prevent that
// those of others are read, or have them counted as their own. Each error in dropped
// describes such a match. Directories that are configured by name and overlap are an
// error.
func (c *Config) Roots() (roots []Root, dropped []error, err error) {
	roots, dropped, found := c.roots()
	if len(found) > 0 {
		return nil, nil, found.join("")
	}
	return roots, dropped, nil
}

func (c *Config) roots() (roots []Root, dropped []error, found problems) {
	all, dropped, found := c.matches()
	all, equal := withoutDuplicates(all)
	dropped = append(dropped, equal...)
	read := make(overlaps)
	for _, m := range all {
		if !m.pattern {
			read.add(m)
		}
	}
	for _, m := range all {
		if outer := read.above(m); outer != nil && !m.pattern {
			found.addKey(pathKey(m.source), "%s", m.describe("is inside", outer))
		}
	}
	for _, linked := range []bool{false, true} {
		for _, m := range all {
			if !m.pattern || m.linked != linked {
				continue
			}
			if err := read.overlap(m); err != nil {
				dropped = append(dropped, err)
			} else {
				read.add(m)
			}
		}
	}
	for _, m := range all {
		if read.has(m) {
			roots = append(roots, m.Root)
		}
	}
	return roots, dropped, found
}

// matches returns the directories that all sources match.
func (c *Config) matches() (all []*match, dropped []error, found problems) {
	places := make(opendir.Places)
	for i, s := range c.Sources {
		matches, refused, err := s.matches()
		if err != nil {
			found.addKey(pathKey(i), "%v", err)
		}
		dropped = append(dropped, refused...)
		for _, m := range matches {
			m.source, m.places = i, places.Above(m.real, m.info)
			all = append(all, &m)
		}
	}
	return all, dropped, found
}

func pathKey(source int) string { return "sources[" + strconv.Itoa(source) + "].path" }

// withoutDuplicates returns each directory once, and the errors of links to directories
// that are reached without one.
func withoutDuplicates(all []*match) (unique []*match, dropped []error) {
	first := make(map[string]*match)
	for _, linked := range []bool{false, true} {
		for _, m := range all {
			if other := first[m.places[0]]; m.linked != linked {
				continue
			} else if other == nil {
				first[m.places[0]] = m
			} else if linked {
				dropped = append(dropped, errors.New(m.describe("leads to", other)))
			}
		}
	}
	return slices.DeleteFunc(all, func(m *match) bool { return first[m.places[0]] != m }), dropped
}

// overlaps are directories by their places, and lists of those below the places above
// them.
type overlaps map[string]*overlapping

type overlapping struct {
	dir   *match // nil if it is above one only
	below *match // the first of those below it
}

func (o overlaps) at(place string) *overlapping {
	at := o[place]
	if at == nil {
		at = new(overlapping)
		o[place] = at
	}
	return at
}

func (o overlaps) add(m *match) {
	o.at(m.places[0]).dir = m
	for _, place := range m.places[1:] {
		if above := o.at(place); above.below == nil {
			above.below = m
		}
	}
}

func (o overlaps) has(m *match) bool { return o.at(m.places[0]).dir == m }

// above returns the outermost directory above another, or nil.
func (o overlaps) above(m *match) *match {
	for _, place := range slices.Backward(m.places[1:]) {
		if outer := o.at(place).dir; outer != nil {
			return outer
		}
	}
	return nil
}

// overlap returns an error if a directory is inside or above one that is read.
func (o overlaps) overlap(m *match) error {
	if outer := o.above(m); outer != nil {
		return errors.New(m.describe("is inside", outer))
	}
	if inner := o.at(m.places[0]).below; inner != nil {
		return errors.New(m.describe("contains", inner))
	}
	return nil
}

// describe describes the relation of a directory to another.
func (m *match) describe(relation string, other *match) string {
	return fmt.Sprintf("%s %s %s of sources[%d]: its files would be read twice", m.Path, relation, other.Path, other.source)
}

// open finds the directory of a match of a pattern. Without an error and info it is
// none.
func (m *match) open() error {
	dir, err := opendir.Open(m.Base, m.Path)
	switch {
	case errors.Is(err, opendir.ErrOwner):
		return err
	case errors.Is(err, fs.ErrPermission):
		m.real, m.info = stat(m.Path)
		m.linked = true // for all we know
		return nil
	case err != nil:
		return nil
	}
	defer dir.Close() //nolint:errcheck // only read
	m.real, m.info = dir.Real, dir.Info
	base, _ := stat(m.Base)
	rel, err := filepath.Rel(m.Base, m.Path)
	m.linked = err == nil && m.real != filepath.Join(base, rel)
	return nil
}

// stat returns the path of a directory without links, and nil if there is none.
func stat(path string) (resolved string, info fs.FileInfo) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		resolved = path
	}
	if info, err = os.Stat(path); err != nil || !info.IsDir() {
		return resolved, nil
	}
	return resolved, info
}

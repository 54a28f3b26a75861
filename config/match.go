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

// A match is a directory that a source matches. Several matches may have the same
// directory, or overlap.
type match struct {
	Root
	source  int         // index in Config.Sources
	pattern bool        // the source is a pattern
	real    string      // the path without links
	info    fs.FileInfo // nil if the directory does not exist
	linked  bool        // reached by a link below Base
	places  []string    // the directory and its parents, see opendir.Places
}

// Roots returns the directories that the sources currently match, in the order of the
// sources and sorted by name within a pattern. A directory that several sources match
// belongs to the first source that reaches it without a link below the beginning of a
// pattern, or else to the first source.
//
// A match of a pattern is dropped in two cases, each described by an error in dropped:
//
//   - It is inside or above another directory, since files would be read twice.
//   - Its path has a link that fails the check of package opendir. Otherwise one user's
//     link could hide another user's directory, or claim its sessions.
//
// Directories that are configured by name and overlap are an error.
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

// withoutDuplicates returns each directory once, and errors for links to directories
// that are also reached without a link.
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

// overlaps maps places to the directory there, and to the first directory below.
type overlaps map[string]*overlapping

type overlapping struct {
	dir   *match // nil if the place is only above a directory
	below *match // the first directory below
}

func (o overlaps) entry(place string) *overlapping {
	entry := o[place]
	if entry == nil {
		entry = new(overlapping)
		o[place] = entry
	}
	return entry
}

func (o overlaps) add(m *match) {
	o.entry(m.places[0]).dir = m
	for _, place := range m.places[1:] {
		if above := o.entry(place); above.below == nil {
			above.below = m
		}
	}
}

func (o overlaps) has(m *match) bool { return o.entry(m.places[0]).dir == m }

// above returns the outermost directory above a match, or nil.
func (o overlaps) above(m *match) *match {
	for _, place := range slices.Backward(m.places[1:]) {
		if outer := o.entry(place).dir; outer != nil {
			return outer
		}
	}
	return nil
}

// overlap returns an error if a match is inside or above a directory that is read.
func (o overlaps) overlap(m *match) error {
	if outer := o.above(m); outer != nil {
		return errors.New(m.describe("is inside", outer))
	}
	if inner := o.entry(m.places[0]).below; inner != nil {
		return errors.New(m.describe("contains", inner))
	}
	return nil
}

// describe states the relation of a directory to another directory.
func (m *match) describe(relation string, other *match) string {
	return fmt.Sprintf("%s %s %s of sources[%d]: its files would be read twice", m.Path, relation, other.Path, other.source)
}

// open finds the directory of a match of a pattern. If err and m.info are nil, there is
// no directory.
func (m *match) open() error {
	dir, err := opendir.Open(m.Base, m.Path)
	switch {
	case errors.Is(err, opendir.ErrOwner):
		return err
	case errors.Is(err, fs.ErrPermission):
		m.real, m.info = stat(m.Path)
		m.linked = true // assumed, as links cannot be checked
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

// stat returns the path of a directory without links; info is nil if there is no
// directory.
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

package watcher

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// nearHot returns the directories of hot files and those above them, and those below a
// directory that has the name of a hot file without its extension: Claude Code writes
// the transcripts of sub-agents there while it writes that of their session.
func (p *poller) nearHot() []*polledDir {
	near := make(map[*polledDir]struct{})
	for k := range p.hot {
		for d := k.dir; d != nil && !d.top; d = p.dirs[filepath.Dir(d.path)] {
			near[d] = struct{}{}
		}
		if k.dir.top {
			near[k.dir] = struct{}{}
			for _, d := range p.tree(withoutExtension(k.path())) {
				near[d] = struct{}{}
			}
		}
	}
	for d := range near {
		d.near = p.check
	}
	return slices.Collect(maps.Keys(near))
}

// withoutExtension returns the path of the directory that belongs to a file.
func withoutExtension(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) }

// markInner finds the inner directories: those that have the name of a file without its
// extension, and everything below them. Claude Code keeps the transcripts of sub-agents
// there, and writes to them only while it writes to the one of their session. So they
// are checked near hot files, and otherwise left to walks.
func (p *poller) markInner() {
	for _, d := range p.order {
		d.inner = false
	}
	for above, dirs := range p.children {
		parent := p.dirs[above]
		if parent == nil {
			continue
		}
		owned := make(map[string]bool, len(parent.files))
		for name := range parent.files {
			owned[withoutExtension(name)] = true
		}
		for _, d := range dirs {
			if !owned[filepath.Base(d.path)] {
				continue
			}
			for _, inner := range p.tree(d.path) {
				inner.inner = true
			}
		}
	}
	p.outer = 0
	for _, d := range p.order {
		if !d.inner {
			p.outer += d.items()
		}
	}
}

// countLikely returns the number of directories in which new files are likely.
func (p *poller) countLikely(near []*polledDir) int {
	n := len(p.top)
	for _, d := range near {
		if !d.top {
			n++
		}
	}
	return n
}

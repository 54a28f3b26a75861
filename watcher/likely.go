package watcher

import (
	"path/filepath"
	"strings"
)

// likelyDirs returns the directories in which new files are most likely, the first ones
// most of all:
//   - those of hot files, and those above them;
//   - those below a directory that has the name of a hot file without its extension:
//     Claude Code writes the transcripts of sub-agents there while it writes that of
//     their session;
//   - those of recent files.
//
// It marks them with near, and sets likelyCount, which includes all of top.
func (p *poller) likelyDirs() (all []*polledDir) {
	p.check++
	p.likelyCount = len(p.top)
	add := func(d *polledDir) {
		if d == nil || d.near == p.check || d.gone {
			return
		}
		d.near = p.check
		all = append(all, d)
		if !d.top {
			p.likelyCount++
		}
	}
	for k := range p.hot {
		add(k.dir)
		for d := k.dir; d != nil && !d.top; d = p.dirs[filepath.Dir(d.path)] {
			add(d)
		}
		if k.dir.top {
			for _, d := range p.tree(withoutExtension(k.path())) {
				add(d)
			}
		}
	}
	for d := range p.recentDirs {
		add(d)
	}
	return all
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

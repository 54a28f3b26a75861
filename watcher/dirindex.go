package watcher

import (
	"path/filepath"
	"strings"
)

// dropGone forgets directories that no longer exist.
func (p *poller) dropGone() {
	if !p.lost {
		return
	}
	p.lost = false
	kept := p.order[:0]
	for _, d := range p.order {
		if d.gone {
			for name := range d.files {
				p.cool(fileKey{d, name})
			}
			delete(p.dirs, d.path)
		} else {
			kept = append(kept, d)
		}
	}
	clear(p.order[len(kept):])
	p.order = kept
	p.index()
}

// index fills top and children.
func (p *poller) index() {
	p.top = p.top[:0]
	clear(p.children)
	for _, d := range p.order {
		p.indexOne(d)
	}
}

// indexOne adds a directory to top and children.
func (p *poller) indexOne(d *polledDir) {
	at, _ := p.roots.locate(d.path)
	if d.top = !strings.ContainsRune(at.Rel, filepath.Separator); d.top {
		p.top = append(p.top, d)
	}
	if parent := filepath.Dir(d.path); parent != d.path {
		p.children[parent] = append(p.children[parent], d)
	}
}

// tree returns the directory at a path, if it is known, and those below it.
func (p *poller) tree(path string) []*polledDir {
	d := p.dirs[path]
	if d == nil {
		return nil
	}
	all := []*polledDir{d}
	for i := 0; i < len(all); i++ {
		all = append(all, p.children[all[i].path]...)
	}
	return all
}

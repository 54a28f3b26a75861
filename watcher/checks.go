package watcher

import (
	"context"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// checkIfDue checks, and sets the time of the next check. The pause depends on the
// duration of this check, so that a large source delays no check of another source.
func (p *poller) checkIfDue(ctx context.Context) {
	start := p.now()
	if start.Before(p.due) {
		return
	}
	p.check(ctx)
	p.due = start.Add(p.pause(p.now().Sub(start)))
}

// pause returns the time between the beginnings of a check and the next check.
func (p *poller) pause(took time.Duration) time.Duration {
	return max(p.o.PollInterval, restFactor*took)
}

// check compares the recently written files and directories whose turn it is with their
// previous state, and reports the changes. Directories come before their children, and
// all directories before the files, so that no file is reached through a link that has
// replaced a directory.
func (p *poller) check(ctx context.Context) {
	p.checks++
	for _, dir := range p.checked {
		if ctx.Err() != nil {
			return
		}
		if d := p.dirs.get(dir); d != nil && d.turn.isDue(p.checks) && p.hasChanged(dir, d) {
			p.read(ctx, dir, d)
		}
	}
	p.checked = slices.DeleteFunc(p.checked, func(dir string) bool { return p.dirs.get(dir) == nil })
	for file, before := range p.files {
		if ctx.Err() != nil {
			return
		}
		if !before.turn.isDue(p.checks) {
			continue
		}
		info, mode, err := lstatPath(file)
		switch {
		case isNotExist(err) || err == nil && !mode.IsRegular():
			p.lose(file)
			if d := p.dirs.get(filepath.Dir(file)); d != nil {
				delete(d.names, filepath.Base(file)) // a file that returns is new
			}
		case err == nil && info != before.Info:
			p.change(file, info)
		}
	}
}

// hasChanged reports whether to read a directory again.
func (p *poller) hasChanged(dir string, d *polledDir) bool {
	info, mode, err := lstatPath(dir)
	switch {
	case isNotExist(err) || err == nil && p.isOther(dir, mode):
		p.drop(dir)
		return false
	case err != nil:
		return false // the walk reports it
	}
	changed := info != d.info || d.fresh
	d.info, d.fresh = info, p.isFresh(info)
	return changed
}

// isOther reports whether a type is not a directory's. A root may be a symbolic link,
// see findRoot.
func (p *poller) isOther(dir string, mode fs.FileMode) bool {
	return !mode.IsDir() && !p.roots.has(dir)
}

// change records and reports a new or changed file. It is checked often from now on.
func (p *poller) change(file string, info Info) {
	p.files[file] = polledFile{Info: info}
	p.checkOften(filepath.Dir(file))
	p.updates.markDirty(file)
}

// lose records and reports that a file no longer exists at its name.
func (p *poller) lose(file string) {
	delete(p.files, file)
	p.updates.markDirty(file)
}

// drop records that a directory and everything below it no longer exist, and reports
// the files of checked directories. The next walk finds the rest. A root may return, so
// it stays, and is read then.
func (p *poller) drop(gone string) {
	for dir, d := range p.dirs.remove(gone) {
		for name := range d.names {
			p.lose(filepath.Join(dir, name))
		}
	}
	if p.roots.has(gone) {
		p.dirs.put(gone, polledDir{names: make(map[string]struct{})})
	}
}

// read reports the new, changed and missing files of a directory, and everything in its
// new directories. Changes of files that were not written recently are left to walks.
func (p *poller) read(ctx context.Context, dir string, d *polledDir) {
	before := d.names
	d.names = make(map[string]struct{}, len(before))
	w := newWalker(p.o, p.roots, dir)
	defer w.close()
	w.linked = func(path string) {
		p.newLink = p.newLink || p.roots.isSource(dir) && !p.roots.isLinkAt(path)
	}
	w.found = func(_, name string, info Info) {
		file := filepath.Join(dir, name)
		d.names[name] = struct{}{}
		_, known := before[name]
		if last, recent := p.files[file]; !known || recent && info != last.Info {
			p.change(file, info)
		}
	}
	dirs, err := w.read(ctx, dir)
	if err != nil { // keep the known state, and read the directory again
		d.info = Info{}
		maps.Copy(d.names, before)
	}
	for name := range before {
		if _, exists := d.names[name]; !exists {
			p.lose(filepath.Join(dir, name))
		}
	}
	exists := make(map[string]struct{}, len(dirs))
	for _, child := range dirs {
		exists[child] = struct{}{}
		if p.dirs.get(child) == nil {
			p.adopt(ctx, child)
		}
	}
	if err != nil {
		return
	}
	for child := range p.dirs.below(dir) { // one that returns is new
		if _, ok := exists[child]; !ok && !p.roots.has(child) {
			p.drop(child)
		}
	}
}

// adopt records a new directory and everything below it, and reports its files.
func (p *poller) adopt(ctx context.Context, dir string) {
	w := newWalker(p.o, p.roots, dir)
	defer w.close()
	w.enter = func(dir string) {
		p.enter(dir)
		p.add(dir, 0)
		p.checkOften(filepath.Dir(dir))
	}
	w.found = func(dir, name string, info Info) {
		p.dirs.get(dir).names[name] = struct{}{}
		p.change(filepath.Join(dir, name), info)
	}
	w.walk(ctx, dir)
}

package watcher

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"
)

// granularity is longer than the coarsest step of modification times, 2 s on FAT. A
// directory is read again after it, since a second change within a step does not alter
// the time.
const granularity = 2100 * time.Millisecond

// rootChecks is the number of roots that checkDirs checks each time, in turn, beyond
// the directories that are due. New projects appear there.
const rootChecks = 4

// checkDirs checks the directories that are due of those in which new files are likely,
// and returns the changed ones. Three quarters of the checks are for the most likely
// ones. The others are for those directly below a root, in turn.
func (p *poller) checkDirs(elapsed time.Duration) (n int, changed []*polledDir) {
	pace := &p.paces[Directories]
	likely := p.likelyDirs()
	due := pace.due(p.likelyCount, elapsed)
	check := func(d *polledDir) {
		if d == nil || d.check == p.check || d.gone {
			return
		}
		d.check = p.check
		if n++; p.hasChanged(d) {
			changed = append(changed, d)
		}
	}
	for range min(len(p.roots), rootChecks) {
		check(p.dirs[next(p.roots, &p.nextRoot).real])
	}
	ofRoots := n
	checkAll := func(dirs []*polledDir, limit int) {
		for i := 0; i < len(dirs) && n-ofRoots < limit; i++ {
			check(dirs[i])
		}
	}
	checkAll(likely, (3*due+pace.items%4)/4) // rounded so that the mean is exact
	for range p.top {
		if n-ofRoots < due {
			check(next(p.top, &p.nextDir))
		}
	}
	checkAll(likely, due)
	pace.checked(min(n, due))
	return n, changed
}

// readAll reads changed directories.
func (p *poller) readAll(ctx context.Context, changed []*polledDir) {
	for _, d := range changed {
		if !d.gone {
			p.readDue(ctx, d)
		}
	}
	p.dropGone()
}

// readDue reads a changed directory, unless it was read shortly before and that took so
// long that it must wait.
func (p *poller) readDue(ctx context.Context, d *polledDir) {
	now := p.now()
	if now.Before(d.notBefore) {
		d.readAt = later(d.notBefore, now.Add(granularity))
		return
	}
	took := cpuTime(func() { p.readAgain(ctx, d) })
	pause := time.Duration(took.Seconds() / p.paces[Directories].share * float64(time.Second))
	d.notBefore = now.Add(min(pause, p.paces[Directories].most))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// hasChanged reports whether to read a directory again.
func (p *poller) hasChanged(d *polledDir) bool {
	info, mode, err := lstatPath(d.path)
	switch {
	case isNotExist(err) || err == nil && p.isOther(d, mode):
		p.loseAll(d)
		return false
	case err != nil:
		return false // the walk reports it
	case info != d.info:
		d.info, d.readAt = info, p.now().Add(granularity)
		return true
	case !d.readAt.IsZero() && !p.now().Before(d.readAt):
		d.readAt = time.Time{}
		return true
	}
	return false
}

// replaced returns the nearest directory, d or one above it, whose path is that of
// something else now; nil if there is none.
func (p *poller) replaced(d *polledDir) *polledDir {
	for ; d != nil; d = p.dirs[filepath.Dir(d.path)] {
		if _, mode, err := lstatPath(d.path); err == nil && p.isOther(d, mode) {
			return d
		}
	}
	return nil
}

// isOther reports whether a type is not that of a directory. A root may be a symbolic
// link, see findRoot.
func (p *poller) isOther(d *polledDir, mode fs.FileMode) bool {
	if mode.IsDir() {
		return false
	}
	_, root := p.roots.at(d.path)
	return !root
}

// loseAll records and reports that a directory no longer exists, with everything below
// it.
func (p *poller) loseAll(d *polledDir) {
	for _, lost := range p.tree(d.path) {
		lost.gone, p.lost = true, true
		for name := range lost.files {
			p.lose(fileKey{lost, name})
		}
	}
}

// readAgain reports the new, changed and missing files of a directory, and everything
// in its new directories.
func (p *poller) readAgain(ctx context.Context, d *polledDir) {
	found := make(map[string]Info, len(d.files))
	k := p.walker()
	k.found = func(path string, info Info) { found[filepath.Base(path)] = info }
	dirs, err := k.read(d.path)
	for name, info := range found {
		if before, known := d.files[name]; !known || before != info {
			p.change(fileKey{d, name}, info)
		}
	}
	for name := range d.files {
		if _, exists := found[name]; !exists && err == nil {
			p.lose(fileKey{d, name})
		}
	}
	if err != nil {
		d.info = Info{} // to be read again
	}
	for _, path := range dirs {
		if p.dirs[path] == nil {
			p.adopt(ctx, path)
		}
	}
	for _, child := range p.children[d.path] {
		if !child.top && p.hasChanged(child) { // it may be another directory
			p.readDue(ctx, child)
		}
	}
}

// adopt records a new directory and everything below it, and reports its files.
func (p *poller) adopt(ctx context.Context, path string) {
	k := p.walker()
	k.enter = p.enter
	k.found = func(path string, info Info) {
		if d := p.dirs[filepath.Dir(path)]; d != nil {
			p.change(fileKey{d, filepath.Base(path)}, info)
		}
	}
	k.walk(ctx, path)
}

// walker returns a walker that leaves errors to the next walk, which reports them.
func (p *poller) walker() *walker {
	return &walker{match: p.o.Match, skip: p.o.SkipDir, roots: p.roots, failed: func(string, error) {}}
}

package watcher

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// granularity is longer than the coarsest step of modification times, 2 s on FAT. A
// directory is read again after it, since a second change within a step does not alter
// the time.
const granularity = 2100 * time.Millisecond

// checkDirs checks the directories that are due, and reads those that have changed.
// Half of them may be directories of hot files, in random order.
func (p *poller) checkDirs(ctx context.Context, elapsed time.Duration) {
	var changed []*polledDir
	pace := &p.paces[Directories]
	due := pace.due(len(p.order), elapsed)
	p.check++
	pace.measure(func() (n int) {
		check := func(d *polledDir) {
			if d.check == p.check {
				return
			}
			d.check = p.check
			if n++; p.hasChanged(d) {
				changed = append(changed, d)
			}
		}
		for _, d := range p.hotDirs((due + 1) / 2) {
			check(d)
		}
		for range due - n {
			check(p.next(&p.nextDir))
		}
		pace.checked(n)
		return n
	})
	for _, d := range changed {
		p.readDue(ctx, d)
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

// hotDirs returns at most n directories of hot files.
func (p *poller) hotDirs(n int) []*polledDir {
	seen := make(map[*polledDir]struct{})
	for k := range p.hot {
		if len(seen) >= n {
			break
		}
		seen[k.dir] = struct{}{}
	}
	return slices.Collect(maps.Keys(seen))
}

// hasChanged reports whether to read a directory again.
func (p *poller) hasChanged(d *polledDir) bool {
	info, _, err := lstatPath(d.path)
	switch {
	case isNotExist(err):
		d.gone = true
		return true
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
	for _, path := range dirs {
		if p.dirs[path] == nil {
			p.adopt(ctx, path)
		}
	}
}

// adopt records a new directory and everything below it, and reports its files.
func (p *poller) adopt(ctx context.Context, path string) {
	k := p.walker()
	k.enter = func(path string) {
		p.enter(path)
		if d := p.dirs[path]; d != nil { // it is new, so more may follow within a step of its time
			d.readAt = p.now().Add(granularity)
		}
	}
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

package watcher

import (
	"path/filepath"
	"strings"
	"time"
)

// A poller finds changes between walks where there are no events. It knows what was
// last seen of every directory and file, and compares it with their present state: most
// often that of hot files, then of directories, recent files and all files. A changed
// file becomes hot.
//
// The clock of the file system may differ from ours, and may round times to two
// seconds. So changes are found by comparing its times with each other only. Ours
// decides which files are hot at first.
type poller struct {
	o       Options
	updates *accumulator
	events  *fileEvents // of hot files; nil without them
	paces   [TierCount]pace
	now     func() time.Time

	roots    roots
	dirs     map[string]*polledDir
	order    []*polledDir            // all of dirs
	top      []*polledDir            // those of them that are roots or directly below one
	children map[string][]*polledDir // all of dirs, by the path of the directory above
	outer    int                     // files and directories for checkFiles, at the last walk
	newest   int64                   // modification time of any file or directory that a walk found
	hot      map[fileKey]*hotFile
	lost     bool // some of order are gone
	walk     int  // number of walks
	check    int  // number of calls of likelyDirs

	recent      []fileKey               // see findRecent
	recentDirs  map[*polledDir]struct{} // of some of them
	likelyCount int                     // directories that checkDirs checks

	hotEvery   time.Duration // the shortest interval of a hot file, see scheduleHot
	hotStretch float64       // of all of them

	hotAt, dirsAt time.Time // when the next checks are due
	checkedAt     time.Time // when directories and files were last checked

	nextRoot, nextDir, nextFile int // positions in roots, top and order where the checks continue
}

// A polledDir is a directory with what was last seen of it.
type polledDir struct {
	path   string // real
	top    bool   // it is in poller.top
	inner  bool   // see poller.markInner
	info   Info   // from before it was read
	files  map[string]Info
	before map[string]Info // files as they were before the current walk
	readAt time.Time       // when to read it again even if it seems unchanged; or zero

	notBefore time.Time // when it may be read again at the earliest
	walk      int       // the last walk that entered it
	check     int       // the last check of directories that included it
	near      int       // the last check at which it was one of likelyDirs
	gone      bool
}

// A fileKey identifies a file.
type fileKey struct {
	dir  *polledDir
	name string
}

// path is called for every check, so it does not clean the parts, which are clean.
func (k fileKey) path() string {
	return strings.TrimSuffix(k.dir.path, separator) + separator + k.name
}

const separator = string(filepath.Separator)

func newPoller(o Options, updates *accumulator) *poller {
	return &poller{
		o: o, updates: updates, paces: newPaces(o), now: time.Now,
		dirs: make(map[string]*polledDir), children: make(map[string][]*polledDir), hot: make(map[fileKey]*hotFile),
	}
}

// close stops the events.
func (p *poller) close() { p.events.close() }

// beginWalk starts to record a walk of the roots. Of other roots nothing is known yet.
func (p *poller) beginWalk(rs roots) {
	if !p.roots.same(rs) {
		for k := range p.hot {
			p.cool(k)
		}
		clear(p.dirs)
		p.order, p.outer, p.nextRoot, p.nextDir, p.nextFile = nil, 0, 0, 0, 0
		p.index()
	}
	p.roots = rs
	p.walk++
}

// enter records a directory, new or known, which is about to be read.
func (p *poller) enter(path string) {
	d, known := p.dirs[path]
	if !known {
		d = &polledDir{path: path}
	}
	info, _, err := lstatPath(path)
	switch {
	case isNotExist(err):
		return // the walk reports it
	case err != nil:
		info = Info{} // to be read again
	}
	if !known {
		p.dirs[path] = d
		p.order = append(p.order, d)
		p.indexOne(d)
	}
	if info != d.info { // new or changed: more may follow within a step of its time
		d.readAt = p.now().Add(granularity)
	}
	p.newest = max(p.newest, info.modified)
	d.info, d.walk, d.before = info, p.walk, d.files
	d.files = make(map[string]Info, len(d.before))
}

// endWalk records the files that the walk found.
func (p *poller) endWalk(t tree) {
	for _, f := range t.files {
		path := filepath.Join(p.roots[f.Root].real, f.Rel)
		if d := p.dirs[filepath.Dir(path)]; d != nil && d.walk == p.walk {
			p.found(fileKey{d, filepath.Base(path)}, f.Info)
		}
	}
	p.keepUnread(t.unreadable)
	for _, d := range p.order {
		d.before = nil
		d.gone = d.walk != p.walk
		p.lost = p.lost || d.gone
		if p.checkedAt.IsZero() && p.isSettled(d.info) {
			d.readAt = time.Time{}
		}
	}
	p.dropGone()
	p.markInner()
	p.findRecent()
	p.coolMissing()
	p.retryWatches()
	p.watchHot()
	p.likelyDirs() // counts them
	p.checkedAt = p.now()
	p.dirsAt = p.checkedAt.Add(p.paces[Directories].least)
	p.scheduleHot()
}

// keepUnread keeps what was known of directories that the walk could not read, and of
// everything below them. The next check reads these directories again.
func (p *poller) keepUnread(unreadable []File) {
	for _, f := range unreadable {
		path := filepath.Join(p.roots[f.Root].real, f.Rel)
		if d := p.dirs[path]; d != nil {
			d.info = Info{} // to be read again
			p.keepFiles(d)
		}
		for _, d := range p.tree(path) {
			d.walk = p.walk
		}
	}
}

// keepFiles keeps the files of a directory that the walk did not find.
func (p *poller) keepFiles(d *polledDir) {
	for name, info := range d.before {
		if _, found := d.files[name]; !found {
			d.files[name] = info
		}
	}
}

// found records a file found by a walk. The consumer gets all of them, so it is not
// marked.
func (p *poller) found(k fileKey, info Info) {
	p.newest = max(p.newest, info.modified)
	k.dir.files[k.name] = info
	switch before, known := k.dir.before[k.name]; {
	case known && before != info:
		p.heat(k, p.now())
	case p.hot[k] == nil && p.isRecent(info):
		p.heat(k, info.ModTime())
	}
}

// isSettled reports whether a directory that the first walk has read was modified so
// long before that no other change can follow within a step of its time. Neither clock
// is sufficient: ours may differ, and that of the file system is only known to be past
// the newest time.
func (p *poller) isSettled(info Info) bool {
	return info.modified < p.newest-int64(granularity) && !p.isRecent(info)
}

// isRecent reports whether something was modified within the time for which files are
// hot.
func (p *poller) isRecent(info Info) bool { return p.now().Sub(info.ModTime()) < hotTime }

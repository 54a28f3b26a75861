package watcher

import (
	"path/filepath"
	"time"
)

// A poller finds changes of one source between walks if there are no events: in files
// and directories that were written recently, and in the directories above them, up to
// the root. Every walk chooses them again. All paths are real.
type poller struct {
	o       Options
	updates *accumulator
	now     func() time.Time
	due     time.Time // of the next check

	roots   roots
	dirs    *dirTree[polledDir]   // every directory of the source
	checked []string              // directories, each after the directories above it
	files   map[string]polledFile // checked
	checks  int                   // number of checks

	newLink bool // a link has appeared directly below a source since the walk
}

// A turn is the index of a file or directory among the latest of its source: the lower,
// the more often it is checked.
type turn int

const (
	// maxOften limits the files and directories of a source that every check covers. The
	// others take turns, so that hundreds of files that were copied cost little.
	maxOften = 64
	// turns is the number of checks that together cover all others.
	turns = 8

	// tick is longer than the resolution of the times that usual file systems record.
	tick = 20 * time.Millisecond
)

func (t turn) isOften() bool { return t < maxOften }

// isDue reports whether a check covers a file or directory.
func (t turn) isDue(check int) bool { return t.isOften() || int(t)%turns == check%turns }

// A polledDir is a directory with its state when it was last read.
type polledDir struct {
	info  Info                // from before it was read
	fresh bool                // it had just changed, so it may change again at the same time
	names map[string]struct{} // of files; nil if it is not checked
	turn  turn
}

// A polledFile is a file as it was last seen.
type polledFile struct {
	Info
	turn turn
}

func newPoller(o Options, updates *accumulator) *poller {
	return &poller{o: o, updates: updates, now: time.Now}
}

// beginWalk starts to record a walk of the roots.
func (p *poller) beginWalk(rs roots) {
	p.roots, p.newLink = rs, false
	p.dirs, p.checked, p.files = newDirTree[polledDir](), nil, make(map[string]polledFile)
}

// enter records a directory that is about to be read.
func (p *poller) enter(dir string) {
	info, _, err := lstatPath(dir)
	if err != nil {
		info = Info{} // differs, so the next check reads it
	}
	p.dirs.put(dir, polledDir{info: info, fresh: p.isFresh(info)})
}

// isFresh reports whether the modification time of a directory may be the time of its
// next change, too.
func (p *poller) isFresh(info Info) bool { return p.now().Sub(info.ModTime()).Abs() < tick }

// endWalk chooses the files and directories to check until the next walk, of all files
// of the source.
func (p *poller) endWalk(files []FoundFile) {
	var written latest
	for _, f := range files {
		written.add(f, false)
	}
	for dir, n := range p.dirs.nodes {
		if name, ok := p.roots.name(dir); ok && n.hasValue {
			written.add(FoundFile{name, n.value.info}, true)
		}
	}
	for n, e := range written.recent(p.now()) {
		path := p.roots.path(e.File)
		if e.dir {
			p.hold(path, turn(n))
		} else {
			p.files[path] = polledFile{e.Info, p.hold(filepath.Dir(path), turn(n))}
		}
	}
	p.listFiles(files)
}

// listFiles adds the names of files to the checked directories.
func (p *poller) listFiles(files []FoundFile) {
	dirs := make(map[File]*polledDir, len(p.checked))
	for _, dir := range p.checked {
		name, _ := p.roots.name(dir)
		dirs[name] = p.dirs.get(dir)
	}
	for _, f := range files {
		if d := dirs[File{f.Root, filepath.Dir(f.Rel)}]; d != nil {
			d.names[filepath.Base(f.Rel)] = struct{}{}
		}
	}
}

// hold checks a directory and its parents, up to its root, as often as the latest file
// or directory in it, which comes first. It returns the turn of such a file: no check
// covers the file without the directory.
func (p *poller) hold(dir string, t turn) turn {
	d := p.dirs.get(dir)
	if d == nil { // a link was replaced
		return t
	}
	if d.names == nil {
		if !p.roots.has(dir) {
			t = p.hold(filepath.Dir(dir), t)
		}
		p.add(dir, t)
	}
	if d.turn.isOften() {
		return t
	}
	return d.turn
}

// checkOften makes every check cover a directory and its parents.
func (p *poller) checkOften(dir string) {
	for d := p.dirs.get(dir); d != nil && !d.turn.isOften(); d = p.dirs.get(dir) {
		d.turn, dir = 0, filepath.Dir(dir)
	}
}

// add checks a known directory, without files.
func (p *poller) add(dir string, t turn) {
	d := p.dirs.get(dir)
	d.names, d.turn = make(map[string]struct{}), t
	p.checked = append(p.checked, dir)
}

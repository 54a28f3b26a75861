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
	dirs    *dirTree[polledDir] // every directory of the source
	checked []string            // directories, each after the directories above it
	files   map[string]Info     // checked, as last seen

	newLink bool // a link has appeared directly below a source since the walk
}

// A polledDir is a directory with its state when it was last read.
type polledDir struct {
	info  Info                // from before it was read
	names map[string]struct{} // of files; nil if it is not checked
}

func newPoller(o Options, updates *accumulator) *poller {
	return &poller{o: o, updates: updates, now: time.Now}
}

// beginWalk starts to record a walk of the roots.
func (p *poller) beginWalk(rs roots) {
	p.roots, p.newLink = rs, false
	p.dirs, p.checked, p.files = newDirTree[polledDir](), nil, make(map[string]Info)
}

// enter records a directory that is about to be read.
func (p *poller) enter(dir string) {
	info, _, err := lstatPath(dir)
	if err != nil {
		info = Info{} // differs, so the next check reads it
	}
	p.dirs.put(dir, polledDir{info: info})
}

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
	for _, e := range written.recent(p.now()) {
		path := p.roots.path(e.File)
		if !e.dir {
			p.files[path] = e.Info
			path = filepath.Dir(path)
		}
		p.hold(path)
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

// hold checks a directory and its parents, up to its root.
func (p *poller) hold(dir string) {
	if d := p.dirs.get(dir); d == nil || d.names != nil { // nil if a link was replaced
		return
	}
	if !p.roots.has(dir) {
		p.hold(filepath.Dir(dir))
	}
	p.add(dir)
}

// add checks a known directory, without files.
func (p *poller) add(dir string) {
	p.dirs.get(dir).names = make(map[string]struct{})
	p.checked = append(p.checked, dir)
}

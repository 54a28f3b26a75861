package watcher

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"
)

const (
	// recentTime is how long a file or directory is checked after it was written. Nearly
	// all writes go to files that were written shortly before.
	recentTime = 15 * time.Minute
	// maxRecent limits the checked files and directories to the most recent.
	maxRecent = 512
)

// A poller finds changes between walks if there are no events: in files and directories
// that were written recently, and in the directories above them, up to the root. Every
// walk chooses them again. All paths are real.
type poller struct {
	o       Options
	updates *accumulator
	now     func() time.Time

	roots roots
	known map[string]Info       // every directory, from before the walk read it
	dirs  map[string]*polledDir // checked
	files map[string]Info       // checked, as last seen

	newLink bool // a link has appeared directly below a source since the walk
}

// A polledDir is a directory with its state when it was last read.
type polledDir struct {
	info  Info                // from before it was read
	names map[string]struct{} // of files
}

func newPoller(o Options, updates *accumulator) *poller {
	return &poller{o: o, updates: updates, now: time.Now}
}

// beginWalk starts to record a walk of the roots.
func (p *poller) beginWalk(rs roots) {
	p.roots, p.known, p.newLink = rs, make(map[string]Info), false
}

// enter records a directory that is about to be read.
func (p *poller) enter(dir string) {
	info, _, err := lstatPath(dir)
	if err != nil {
		info = Info{} // differs, so the next check reads it
	}
	p.known[dir] = info
}

// endWalk chooses the files and directories to check until the next walk.
func (p *poller) endWalk(t tree) {
	p.dirs, p.files = make(map[string]*polledDir), make(map[string]Info)
	path := p.roots.realPaths()
	for _, f := range p.recent(t.files, path) {
		if f.dir {
			p.hold(f.path)
		} else {
			p.files[f.path] = f.info
			p.hold(filepath.Dir(f.path))
		}
	}
	for _, f := range t.files {
		file := path(f.File)
		if d := p.dirs[filepath.Dir(file)]; d != nil {
			d.names[filepath.Base(file)] = struct{}{}
		}
	}
}

// A polledPath is a file or directory that a walk found.
type polledPath struct {
	path string
	info Info
	dir  bool
}

// recent returns the files and directories that were written recently, the latest
// first. The clock of the file system may be behind ours, so the latest of their times
// counts as now. If it is ahead, more files are recent, up to the limit. Either way,
// walks find all changes.
func (p *poller) recent(files []FoundFile, path func(File) string) []polledPath {
	all := make([]polledPath, 0, len(files)+len(p.known))
	for _, f := range files {
		all = append(all, polledPath{path: path(f.File), info: f.Info})
	}
	for dir, info := range p.known {
		all = append(all, polledPath{path: dir, info: info, dir: true})
	}
	slices.SortFunc(all, func(a, b polledPath) int { return cmp.Compare(b.info.modified, a.info.modified) })
	if len(all) == 0 {
		return nil
	}
	since := min(all[0].info.modified, p.now().UnixNano()) - int64(recentTime)
	for i, f := range all {
		if f.info.modified <= since || i == maxRecent {
			return all[:i]
		}
	}
	return all
}

// hold adds a directory and its parents, up to its root.
func (p *poller) hold(dir string) {
	for p.dirs[dir] == nil {
		p.add(dir)
		if _, root := p.roots.rootAt(dir); root {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// add adds a directory without files.
func (p *poller) add(dir string) {
	p.dirs[dir] = &polledDir{info: p.known[dir], names: make(map[string]struct{})}
}

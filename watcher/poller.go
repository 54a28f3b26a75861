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
	// maxRecent limits the recent files and directories to the latest.
	maxRecent = 512
)

// A poller finds changes between walks where there are no events: in files and
// directories that were written recently, and in the directories that hold them, up to
// the root. Every walk decides which these are. All paths are real.
type poller struct {
	o       Options
	updates *accumulator
	now     func() time.Time

	roots roots
	known map[string]Info       // every directory, from before the walk read it
	dirs  map[string]*polledDir // checked
	files map[string]Info       // checked, as last seen
}

// A polledDir is a directory with its state when it was last read.
type polledDir struct {
	info   Info                // from before it was read
	names  map[string]struct{} // of files
	readAt time.Time           // when to read it again even if it seems unchanged; or zero
}

func newPoller(o Options, updates *accumulator) *poller {
	return &poller{o: o, updates: updates, now: time.Now}
}

// beginWalk starts to record a walk of the roots.
func (p *poller) beginWalk(rs roots) { p.roots, p.known = rs, make(map[string]Info) }

// enter records a directory that is about to be read.
func (p *poller) enter(dir string) {
	info, _, err := lstatPath(dir)
	if err != nil {
		info = Info{} // differs, so the next check reads it
	}
	p.known[dir] = info
}

// endWalk chooses what to check until the next walk.
func (p *poller) endWalk(t tree) {
	before, filesBefore := p.dirs, p.files
	p.dirs, p.files = make(map[string]*polledDir), make(map[string]Info)
	for _, r := range p.recent(t.files) {
		if r.file {
			p.files[r.path] = r.info
			p.hold(filepath.Dir(r.path), before)
		} else {
			p.hold(r.path, before)
		}
	}
	for _, f := range t.files {
		dir, name := filepath.Split(p.path(f.File))
		if d := p.dirs[filepath.Clean(dir)]; d != nil {
			d.names[name] = struct{}{}
		}
	}
	p.keepUnread(t.unreadable, before, filesBefore)
}

// A recentPath is a file or directory and its time.
type recentPath struct {
	path string
	info Info
	file bool
}

// recent returns the files and directories that were written recently. The clock of the
// file system may be behind ours, so the newest time among them counts as now. If it is
// ahead, more of them are recent, up to the limit. Either way, walks find all changes.
func (p *poller) recent(files []FoundFile) (all []recentPath) {
	newest := int64(0)
	for _, f := range files {
		newest = max(newest, f.Info.modified)
	}
	for _, info := range p.known {
		newest = max(newest, info.modified)
	}
	since := min(newest, p.now().UnixNano()) - int64(recentTime)
	for _, f := range files {
		if f.Info.modified > since {
			all = append(all, recentPath{p.path(f.File), f.Info, true})
		}
	}
	for dir, info := range p.known {
		if info.modified > since {
			all = append(all, recentPath{dir, info, false})
		}
	}
	slices.SortFunc(all, func(a, b recentPath) int { return cmp.Compare(b.info.modified, a.info.modified) })
	return all[:min(len(all), maxRecent)]
}

// path returns the real path of a file.
func (p *poller) path(f File) string { return filepath.Join(p.roots[f.Root].real, f.Rel) }

// hold adds a directory and those above it, up to its root.
func (p *poller) hold(dir string, before map[string]*polledDir) {
	for p.dirs[dir] == nil {
		d := p.add(dir)
		if b := before[dir]; b != nil && b.info == d.info {
			d.readAt = b.readAt
		}
		if _, root := p.roots.at(dir); root {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// add adds a directory without files, which is read again after a while.
func (p *poller) add(dir string) *polledDir {
	d := &polledDir{info: p.known[dir], names: make(map[string]struct{}), readAt: p.now().Add(granularity)}
	p.dirs[dir] = d
	return d
}

// keepUnread keeps what was known of directories that the walk could not read, and of
// everything below them.
func (p *poller) keepUnread(unreadable []File, dirs map[string]*polledDir, files map[string]Info) {
	paths := make(map[string]struct{}, len(unreadable))
	for _, f := range unreadable {
		paths[p.path(f)] = struct{}{}
	}
	for dir, d := range dirs {
		if isWithin(paths, dir) {
			p.dirs[dir] = d
			p.known[dir] = d.info
		}
	}
	for file, info := range files {
		if isWithin(paths, file) {
			p.files[file] = info
		}
	}
}

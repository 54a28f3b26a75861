package daemon

import (
	"path/filepath"
	"slices"

	"github.com/ccwatchd/ccwatchd/watcher"
)

// omitted states what a walk could not read or follow below a source.
type omitted struct {
	missing    bool   // the source does not exist
	unreadable int    // directories
	first      string // path of the first unreadable directory, unless it is the source
	links      int    // not followed
	archives   int    // compressed transcripts
}

// countOmitted counts the directories that a walk could not read, the links that it did
// not follow, and the archives that only Once reads.
func (e *engine) countOmitted(u watcher.Update) {
	if u.Tree == nil {
		return
	}
	clear(e.omitted)
	sources := *e.daemon.sources.Load()
	for _, dir := range u.Unreadable {
		o := &e.omitted[dir.Root]
		if o.unreadable++; o.unreadable == 1 && dir.Rel != "." {
			o.first = filepath.Join(sources[dir.Root].Path, dir.Rel)
		}
	}
	archives := 0
	for source, n := range u.Aside {
		e.omitted[source].archives = n
		archives += n
	}
	e.daemon.metrics.Archives.Set(float64(archives))
	for _, source := range u.Missing {
		e.omitted[source].missing = true
	}
	reasons := make(map[watcher.LinkReason]int)
	for link, reason := range u.Skipped {
		e.omitted[link.Root].links++
		reasons[reason]++
	}
	for _, reason := range watcher.LinkReasons() {
		e.daemon.metrics.SkippedLinks.WithLabelValues(string(reason)).Set(float64(reasons[reason]))
	}
}

// reportOmitted updates the omissions in the list of watched directories.
func (e *engine) reportOmitted() {
	before := *e.daemon.watchedDirs.Load()
	dirs := slices.Clone(before)
	for i, files := range e.follower.UnreadableBySource() {
		o := &e.omitted[i]
		dirs[i].Unreadable, dirs[i].UnreadableDir = o.unreadable+files, o.first
		dirs[i].SkippedLinks, dirs[i].Archives, dirs[i].Missing = o.links, o.archives, o.missing
	}
	if !slices.Equal(dirs, before) {
		e.daemon.watchedDirs.Store(&dirs)
	}
}

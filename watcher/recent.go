package watcher

import (
	"cmp"
	"slices"
)

// Limits of the recent files and their directories. People return to a session within
// days, and begin new ones where they have just worked. With 50 sessions a day, these
// are the files of two or three days, and the directories of about one.
const (
	maxRecent     = 128
	maxRecentDirs = 32
)

// findRecent finds the files outside inner directories that were written last. Their
// times are compared with each other only, so a clock that is wrong, or a time in the
// future, makes other files recent, but no more of them.
func (p *poller) findRecent() {
	type file struct {
		key      fileKey
		modified int64
	}
	all := make([]file, 0, p.outer)
	for _, d := range p.order {
		if d.inner {
			continue
		}
		for name, info := range d.files {
			all = append(all, file{fileKey{d, name}, info.modified})
		}
	}
	slices.SortFunc(all, func(a, b file) int { return cmp.Compare(b.modified, a.modified) })
	p.recent, p.recentDirs = nil, make(map[*polledDir]struct{})
	for _, f := range all[:min(len(all), maxRecent)] {
		p.recent = append(p.recent, f.key)
		if len(p.recentDirs) < maxRecentDirs {
			p.recentDirs[f.key.dir] = struct{}{}
		}
	}
}

// checkRecent checks the recent files, and returns their number.
func (p *poller) checkRecent() int {
	for _, k := range p.recent {
		if info, known := k.dir.files[k.name]; known && !k.dir.gone {
			p.checkFile(k, info)
		}
	}
	p.paces[RecentFiles].checked(len(p.recent))
	return len(p.recent)
}

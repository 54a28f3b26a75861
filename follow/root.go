package follow

import (
	"os"

	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// roots are the directories of the sources, in the same order.
type roots []root

// A root is an open directory, or the error of opening it.
type root struct {
	*os.Root
	err error
}

func (f *Follower) openRoots() roots {
	all := make(roots, len(f.sources))
	for i := range all {
		f.openRoot(all, i)
	}
	return all
}

// rootsOf opens the directories needed for an update.
func (f *Follower) rootsOf(u watcher.Update) roots {
	if u.Tree != nil {
		return f.openRoots()
	}
	some := make(roots, len(f.sources))
	for _, name := range u.Dirty {
		f.openRoot(some, name.Root)
	}
	return some
}

func (f *Follower) openRoot(all roots, i int) {
	if all[i].Root == nil && all[i].err == nil {
		all[i].Root, all[i].err = os.OpenRoot(f.sources[i].path)
	}
}

// openFile opens a file below its root.
func (r roots) openFile(name watcher.File) (*os.File, error) {
	in := r[name.Root]
	if in.err != nil {
		return nil, in.err
	}
	return tailer.Open(in.Root, name.Rel)
}

// size returns the size of a file below its root, or 0 if it is unknown.
func (r roots) size(name watcher.File) int64 {
	in := r[name.Root]
	if in.err != nil {
		return 0
	}
	info, err := in.Lstat(name.Rel)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

func (r roots) close() {
	for _, root := range r {
		if root.Root != nil {
			_ = root.Close()
		}
	}
}

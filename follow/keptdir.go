package follow

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/ccwatchd/ccwatchd/watcher"
)

// keepsDirs is whether directories stay open between two updates. Windows does not
// rename a directory while one below it is open.
const keepsDirs = runtime.GOOS != "windows"

// takeRoots returns the roots for an update. If the update follows no walk, they have
// the directories that are still open from the previous update and that the paths still
// lead to. To open them again for each line takes longer than to open the file.
func (f *Follower) takeRoots(u watcher.Update) roots {
	all := f.kept
	f.kept = nil
	switch {
	case u.Tree != nil:
		all.closeDirs()
		return f.openRoots()
	case all == nil:
		return f.newRoots()
	}
	for i := range all {
		all[i].check()
	}
	return all
}

// check closes the kept directory unless its path still leads to it without symbolic
// links below the root. Where those may lead, os.Root decides.
func (in *root) check() {
	if in.opened == nil {
		return
	}
	dir := filepath.Clean(in.dir)
	found, err := os.Lstat(filepath.Join(in.path, dir))
	if err != nil || !os.SameFile(found, in.kept) {
		in.closeDir()
		return
	}
	for dir = filepath.Dir(dir); dir != "."; dir = filepath.Dir(dir) {
		if above, err := os.Lstat(filepath.Join(in.path, dir)); err != nil || !above.IsDir() {
			in.closeDir()
			return
		}
	}
}

// keepDirs closes the roots of an update that follows no walk, but keeps the
// directories of the latest files open for the next one.
func (f *Follower) keepDirs(all roots) {
	if !keepsDirs {
		all.close()
		return
	}
	all.closeRoots()
	for i := range all {
		all[i].describe()
	}
	f.kept, f.keptFor = all, 0
}

// describe describes the open directory, so that check can recognize it.
func (in *root) describe() {
	if in.opened == nil || in.kept != nil {
		return
	}
	var err error
	if in.kept, err = in.opened.Stat("."); err != nil {
		in.closeDir()
	}
}

// CloseIdle closes directories that were not used since the previous call, so that
// their file systems can be unmounted. It is called periodically.
func (f *Follower) CloseIdle() {
	if f.keptFor++; f.keptFor > 1 {
		f.Close()
	}
}

// Close closes all directories. The Follower may be used again.
func (f *Follower) Close() {
	f.kept.close()
	f.kept = nil
}

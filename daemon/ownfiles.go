package daemon

import (
	"errors"
	"io/fs"
	"os"

	"github.com/ccwatchd/ccwatchd/follow"
)

// ReadsOwnFiles reports whether the existing directories of all sources belong to the
// user of this process.
func (d *Daemon) ReadsOwnFiles() bool { return d.ownFiles.Load() }

// areOwn reports whether the existing directories of sources belong to the user of this
// process.
func areOwn(sources []follow.Source) bool {
	for _, s := range sources {
		info, err := os.Stat(s.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !isOwn(s.Path, info) {
			return false
		}
	}
	return true
}

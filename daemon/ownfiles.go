package daemon

import (
	"errors"
	"io/fs"
	"os"

	"github.com/ccwatchd/ccwatchd/follow"
)

// ReadsOwnFiles reports whether the directories of all sources, as far as they exist,
// belong to the user of this process.
func (d *Daemon) ReadsOwnFiles() bool { return d.ownFiles.Load() }

// areOwn reports whether the directories of sources belong to the user of this process.
// One that does not exist belongs to everyone.
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

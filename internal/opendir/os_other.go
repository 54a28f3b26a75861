//go:build unix && !linux

package opendir

import (
	"io/fs"
	"os"
)

// canReadFilesOfOthers reports whether this process may read files whatever their
// permissions.
func canReadFilesOfOthers() bool { return os.Geteuid() == 0 }

// readLink returns the target of a link and its description.
func readLink(dir *os.Root, name string) (string, fs.FileInfo, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return "", nil, err
	}
	target, err := dir.Readlink(name)
	if err != nil {
		return "", nil, err
	}
	after, err := dir.Lstat(name)
	if err == nil && !os.SameFile(before, after) {
		err = errReplaced
	}
	return target, after, err
}

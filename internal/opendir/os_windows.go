package opendir

import (
	"io/fs"
	"os"
)

func openRoot(path string) (*os.Root, error) { return os.OpenRoot(path) }

// ownerCheck returns a check that follows all links: creating them is a privilege.
func ownerCheck() check { return check{} }

// readLink is not used, since the check follows all links.
func readLink(dir *os.Root, name string) (string, fs.FileInfo, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return "", nil, err
	}
	target, err := dir.Readlink(name)
	return target, info, err
}

// key returns an empty string: a file must be opened to identify it. Its path without
// links, which has the case of the names on disk, identifies it well enough.
func key(fs.FileInfo) string { return "" }

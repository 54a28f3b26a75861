//go:build unix

package opendir

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openRoot opens a directory. Unlike os.OpenRoot it does not block on a FIFO.
func openRoot(path string) (*os.Root, error) { return os.OpenRoot(path + "/.") }

// ownerCheck returns the check for this process.
func ownerCheck() check {
	if canReadFilesOfOthers() {
		return check{owner}
	}
	return check{}
}

func owner(info fs.FileInfo) uint32 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Uid
	}
	return ^uint32(0)
}

// key identifies a file, whatever its path.
func key(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}

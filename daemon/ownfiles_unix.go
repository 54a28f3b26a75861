//go:build unix

package daemon

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a directory belongs to the user of this process.
func isOwn(_ string, info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

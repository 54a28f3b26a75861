//go:build darwin || freebsd

package watcher

import "golang.org/x/sys/unix"

// isRemote reports whether a directory may be written by other machines, whose writes
// cause no events here.
func isRemote(dir string) bool {
	var s unix.Statfs_t
	return unix.Statfs(dir, &s) == nil && s.Flags&unix.MNT_LOCAL == 0
}

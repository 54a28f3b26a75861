//go:build unix

package watcher

import "golang.org/x/sys/unix"

// spareDescriptors returns how many descriptors watching files may use: a quarter of
// the limit of the process.
func spareDescriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur)/4, maxHot)) //nolint:unconvert // signed on some systems
}

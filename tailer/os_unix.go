//go:build unix

package tailer

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// openFlags make opening a FIFO without a writer return immediately. They do not affect
// regular files.
const openFlags = syscall.O_NONBLOCK

// Identify returns the ID of an open file.
func Identify(f *os.File) (ID, error) {
	info, err := f.Stat()
	if err != nil {
		return ID{}, err
	}
	return IdentifyStat(f, info)
}

// IdentifyStat is [Identify] for an open file that f.Stat has described as info. On
// systems where that contains the ID, it needs no system call.
func IdentifyStat(f *os.File, info fs.FileInfo) (ID, error) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ID{}, fmt.Errorf("identify %s: no device and inode", f.Name())
	}
	// The type of both fields depends on the operating system.
	return ID{Device: uint64(stat.Dev), Inode: uint64(stat.Ino)}, nil
}

// reopensDescriptors means that reopenPaths refer to descriptors: if one has led to the
// open file, so will those of later files.
const reopensDescriptors = true

// reopenPaths returns paths that open the file of f again. Both refer to the
// descriptor, so they are correct even if f has been renamed or replaced. If neither
// exists, f cannot be reopened safely.
func reopenPaths(f *os.File) []string {
	fd := strconv.FormatUint(uint64(f.Fd()), 10)
	return []string{"/proc/self/fd/" + fd, "/dev/fd/" + fd}
}

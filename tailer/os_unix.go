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

// IdentifyStat is [Identify] for an open file that f.Stat has described as info. It
// needs no system call if info contains the ID.
func IdentifyStat(f *os.File, info fs.FileInfo) (ID, error) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ID{}, fmt.Errorf("identify %s: no device and inode", f.Name())
	}
	// The type of both fields depends on the operating system.
	return ID{Device: uint64(stat.Dev), Inode: uint64(stat.Ino)}, nil
}

// reopensDescriptors means that reopenPaths refer to descriptors: if a path has led to
// the open file, the path for a later file does so too.
const reopensDescriptors = true

// reopenPaths returns paths that open the file of f again. They refer to the
// descriptor, so they are correct even if f has been renamed or replaced. If none of
// them exists, f cannot be reopened safely.
func reopenPaths(f *os.File) []string {
	fd := strconv.FormatUint(uint64(f.Fd()), 10)
	return []string{"/proc/self/fd/" + fd, "/dev/fd/" + fd}
}

//go:build unix

package tailer

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// openFlags keep the opening of a FIFO from waiting for a writer. They do nothing to regular files.
const openFlags = syscall.O_NONBLOCK

// Identify returns the ID of an open file.
func Identify(f *os.File) (ID, error) {
	info, err := f.Stat()
	if err != nil {
		return ID{}, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ID{}, fmt.Errorf("identify %s: no device and inode", f.Name())
	}
	// The type of both fields depends on the operating system.
	return ID{Device: uint64(stat.Dev), Inode: uint64(stat.Ino)}, nil
}

// aliases returns the names by which f may be opened once more. Both lead to the descriptor, so that no other file can come in between and
// it does not matter whether f still has the name it was opened by. Where neither exists, f cannot be opened safely.
func aliases(f *os.File) []string {
	fd := strconv.FormatUint(uint64(f.Fd()), 10)
	return []string{"/proc/self/fd/" + fd, "/dev/fd/" + fd}
}

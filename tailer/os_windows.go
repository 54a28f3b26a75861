package tailer

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openFlags is 0: opening a file never blocks on Windows.
const openFlags = 0

// Identify returns the ID of an open file.
func Identify(f *os.File) (ID, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return ID{}, fmt.Errorf("identify %s: %w", f.Name(), err)
	}
	var info syscall.ByHandleFileInformation
	var infoErr error
	err = conn.Control(func(handle uintptr) {
		infoErr = syscall.GetFileInformationByHandle(syscall.Handle(handle), &info)
	})
	if err == nil {
		err = infoErr
	}
	if err != nil {
		return ID{}, fmt.Errorf("identify %s: %w", f.Name(), err)
	}
	return ID{
		Device: uint64(info.VolumeSerialNumber),
		Inode:  uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow),
	}, nil
}

// IdentifyStat is [Identify] for an open file that f.Stat has described. On Windows a
// description does not contain the ID.
func IdentifyStat(f *os.File, _ fs.FileInfo) (ID, error) { return Identify(f) }

// reopensDescriptors means that reopenPaths refer to descriptors. A name may refer to
// another file at any time.
const reopensDescriptors = false

// reopenPaths returns the name of f. The caller checks that it still refers to the same
// file.
func reopenPaths(f *os.File) []string {
	return []string{f.Name()}
}

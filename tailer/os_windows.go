package tailer

import (
	"fmt"
	"os"
	"syscall"
)

// openFlags are none: opening never waits here.
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

// aliases returns the names by which f may be opened once more: there is only the one it was opened by, if that still leads to it.
func aliases(f *os.File) []string {
	return []string{f.Name()}
}

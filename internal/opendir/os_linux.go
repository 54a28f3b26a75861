package opendir

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// canReadFilesOfOthers reports whether this process may read files whatever their
// permissions.
func canReadFilesOfOthers() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return true
	}
	return data[0].Effective&(1<<unix.CAP_DAC_READ_SEARCH|1<<unix.CAP_DAC_OVERRIDE) != 0
}

// readLink returns the target of a link and its description, both of the same link even
// if another one takes its place.
func readLink(dir *os.Root, name string) (string, fs.FileInfo, error) {
	f, err := dir.OpenFile(name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return "", nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return "", nil, err
	}
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(int(f.Fd()), "", target)
	if err != nil {
		return "", nil, err
	}
	return string(target[:n]), info, nil
}

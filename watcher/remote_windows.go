package watcher

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// isRemote reports whether a directory is on a network drive.
func isRemote(dir string) bool {
	volume := filepath.VolumeName(dir)
	if strings.HasPrefix(volume, `\\`) {
		return true
	}
	name, err := windows.UTF16PtrFromString(volume + `\`)
	return err == nil && windows.GetDriveType(name) == windows.DRIVE_REMOTE
}

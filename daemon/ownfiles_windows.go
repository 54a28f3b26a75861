package daemon

import (
	"io/fs"
	"os"
	"path/filepath"
)

// isOwn reports whether a directory is in the home directory of the user of this
// process.
func isOwn(path string, _ fs.FileInfo) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(home, path)
	return err == nil && filepath.IsLocal(rel)
}

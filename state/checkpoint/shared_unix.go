//go:build unix

package checkpoint

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// SharedMode returns the mode of the directory if users other than root and the
// process's user can change the files in it, "" if not.
func (s *Store) SharedMode() (string, error) {
	info, err := os.Stat(s.dir)
	if err != nil {
		return "", fmt.Errorf("stat state directory: %w", err)
	}
	const others = 0o022
	owner, ok := info.Sys().(*syscall.Stat_t)
	foreign := ok && owner.Uid != 0 && int(owner.Uid) != os.Geteuid()
	if info.Mode().Perm()&others == 0 && !foreign {
		return "", nil
	}
	return fmt.Sprintf("%04o", info.Mode().Perm()), nil
}

// isOwn reports whether the user of this process owns a file.
func isOwn(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid()
}

//go:build unix

package config

import (
	"fmt"
	"io/fs"
	"syscall"
)

// fileKey returns what identifies a file, whatever its path.
func fileKey(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}

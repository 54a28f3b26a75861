//go:build !unix

package checkpoint

import "io/fs"

// SharedMode returns "": on this system, a mode does not state who can change files.
func (s *Store) SharedMode() (string, error) { return "", nil }

// isOwn returns true: on this system, a user's directory is not open to other users.
func isOwn(fs.FileInfo) bool { return true }

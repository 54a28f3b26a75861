//go:build !unix

package checkpoint

// SharedMode returns "": on this system, a mode does not state who can change files.
func (s *Store) SharedMode() (string, error) { return "", nil }

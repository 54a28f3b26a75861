//go:build !linux && !windows

package watcher

// isRemote reports false: these systems have no directory events that could be missing.
func isRemote(string) bool { return false }

//go:build !windows

package servicecmd

// recoverFromErrors does nothing: the unit file defines failures.
func recoverFromErrors(string) error { return nil }

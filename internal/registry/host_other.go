//go:build !linux && !darwin && !windows

package registry

func domain() string { return "" }

func startedAt(int, string) bool { return true }

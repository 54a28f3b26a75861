//go:build !race

package testsize

// race reports whether the race detector is enabled.
const race = false

// Package testsize chooses how much tests do. By default they have inputs of moderate
// size; with CCWATCHD_TESTS=large, as in "make nightly", they have larger inputs, which
// take long and rarely find more. Tests that call SkipRace are skipped under the race
// detector, which makes them several times slower.
package testsize

import (
	"os"
	"testing"
)

// variable is the environment variable that chooses the size.
const variable = "CCWATCHD_TESTS"

// Large reports whether the larger inputs are requested.
func Large() bool { return os.Getenv(variable) == "large" }

// Of returns the first number if larger inputs are requested, and otherwise the second.
func Of(large, usual int) int {
	if Large() {
		return large
	}
	return usual
}

// Race reports whether the race detector is enabled and the inputs are not to be large.
func Race() bool { return race && !Large() }

// SkipRace skips a test or benchmark where the race detector takes time and would find
// nothing, unless larger inputs are requested. The reason says why it is slow, or that
// it uses no goroutines.
func SkipRace(t testing.TB, reason string) {
	t.Helper()
	if Race() {
		t.Skip("without large inputs, not with the race detector: " + reason)
	}
}

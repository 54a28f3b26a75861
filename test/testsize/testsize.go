// Package testsize chooses how large the inputs of tests are. With
// CCWATCHD_TESTS=large, as in "make test-large" and ".ci/run", some tests use larger
// inputs, which take long and rarely find more.
package testsize

import "os"

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

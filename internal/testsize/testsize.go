// Package testsize chooses how large the inputs of tests are. By default, all tests
// together take about two minutes. With CCWATCHD_TESTS=large, as in "make test-large"
// and ".ci/run", some of them use larger inputs, which rarely find more.
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

// Package compactmap provides a sorted map for keys that are uniformly distributed. It
// takes less memory than a map of Go.
package compactmap

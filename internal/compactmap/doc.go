// Package compactmap provides a sorted map for keys that are uniformly distributed. It
// takes about half of the memory of a map of Go.
package compactmap

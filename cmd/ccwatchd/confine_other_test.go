//go:build !linux

package main

// confine does nothing without Landlock.
func confine() {}

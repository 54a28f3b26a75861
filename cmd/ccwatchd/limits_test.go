//go:build !polling

package main

// limitsSection is the section that tests use if they set no limits of their own.
const limitsSection = ""

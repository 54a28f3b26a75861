//go:build !polling

package main

// limitsSection is the default limits section of tests.
const limitsSection = ""

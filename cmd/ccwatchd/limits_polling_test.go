//go:build polling

package main

// limitsSection is the default limits section of tests. With this build tag, the daemon
// finds changes without file events.
const limitsSection = "limits: {watches: 0}\n"

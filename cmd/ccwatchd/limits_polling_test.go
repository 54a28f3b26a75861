//go:build polling

package main

// limitsSection is the section that tests use if they set no limits of their own. With
// the build tag, the daemon finds changes without file events.
const limitsSection = "limits: {watches: 0}\n"

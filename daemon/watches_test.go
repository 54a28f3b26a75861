//go:build !polling

package daemon

// What a daemon watches for events, unless a test sets it.
const maxWatches = 1000

//go:build polling

package daemon

// With the build tag, a daemon finds changes without events.
const maxWatches = -1

//go:build polling

package daemon

// With this build tag, daemons poll for changes instead of watching.
const maxWatches = -1

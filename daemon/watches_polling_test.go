//go:build polling && !filewatches

package daemon

// With the build tag, a daemon finds changes without events.
const maxWatches, maxFileWatches = -1, 0

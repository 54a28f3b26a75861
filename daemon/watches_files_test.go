//go:build polling && filewatches

package daemon

// With both build tags, a daemon finds changes without events of directories, and
// watches twenty files.
const maxWatches, maxFileWatches = -1, 20

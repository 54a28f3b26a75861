//go:build !polling

package daemon

// maxWatches is the default of Settings.MaxWatches in tests.
const maxWatches = 1000

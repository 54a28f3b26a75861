//go:build purego || !(amd64 || arm64)

package transcript

// canMark reports whether markChunks can be called. Without vector instructions,
// marking a line takes longer than the scan saves.
func canMark() bool { return false }

// markChunks is not called if canMark is false.
func markChunks(*chunk, *byte, int) (lowest byte) { panic("no vector instructions") }

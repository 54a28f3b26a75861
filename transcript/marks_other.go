//go:build purego || !(amd64 || arm64)

package transcript

// canMark reports whether markChunks can be called. Without vector instructions,
// marking a line takes longer than the scan saves.
func canMark() bool { return false }

func markChunks(*chunk, *byte, int) (lowest byte) { panic("not implemented") }

//go:build !purego

package transcript

// canMark reports whether markChunks can be called.
func canMark() bool { return true }

// markChunks sets n chunks to the marks of as many times 64 bytes: quotes, backslashes
// (as escaped), bytes that follow most backslashes (as common), and bytes that are not
// ASCII. It returns the lowest byte.
//
//go:noescape
func markChunks(chunks *chunk, b *byte, n int) (lowest byte)

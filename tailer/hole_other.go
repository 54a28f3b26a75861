//go:build !(linux || darwin || freebsd)

package tailer

import "io"

// data returns off: nothing tells where a file has holes.
func data(_ io.ReaderAt, off, _ int64) int64 { return off }

package tailer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// StreamLines passes every line of r to fn, in order, as [Reader.Lines] does, and
// returns the unterminated rest after the last line. It holds one line of up to maxLine
// bytes, whatever r returns.
//
// If fn fails, StreamLines returns its error unchanged. All other errors are read
// errors; lines passed before an error count.
func StreamLines(r io.Reader, maxLine int, fn func(Line) error) (rest Line, err error) {
	in := bufio.NewReaderSize(r, blockSize)
	var line []byte
	var start, end int64
	for {
		part, err := in.ReadSlice('\n')
		end += int64(len(part))
		if end-start <= int64(maxLine)+1 { // with the newline
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return lineOf(line, start, end, end-start, maxLine), nil
		case err != nil:
			return Line{}, fmt.Errorf("read stream: %w", err)
		}
		if err := fn(lineOf(line, start, end, end-start-1, maxLine)); err != nil {
			return Line{}, err
		}
		start, line = end, line[:0]
	}
}

// lineOf returns a line of n bytes, which are at the beginning of b.
func lineOf(b []byte, start, end, n int64, maxLine int) Line {
	if n > int64(maxLine) {
		return Line{Start: start, End: end, TooLong: true}
	}
	return Line{Bytes: b[:n], Start: start, End: end}
}

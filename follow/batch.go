package follow

import (
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Limits of a batch. They bound the time that a scrape waits for the lock, and the
// memory of prefetched batches.
const (
	batchBytes = 256 << 10
	batchLines = 1 << 10 // or entries, if lines contain several
)

// lineEnd is the number of bytes of the last line in a fingerprint.
const lineEnd = 255

// A batch holds the entries of consecutive lines of a file: the content of one change.
type batch struct {
	transcript.Buffer
	start, end  int64 // offsets of the first line and after the last line
	lines       int
	last        []byte             // the end of the last line, with its newline
	fingerprint tailer.Fingerprint // of the file read up to end
	owner       chan<- *batch      // release returns it there; nil if it is not shared
}

// add records a line. If the line is too long, its content is unknown.
func (b *batch) add(l tailer.Line) {
	if b.lines == 0 {
		b.start = l.Start
	}
	b.lines++
	b.end = l.End
	b.last = append(b.last[:0], l.Bytes[max(0, len(l.Bytes)-lineEnd):]...)
	if !l.TooLong && l.End > l.Start+int64(len(l.Bytes)) {
		b.last = append(b.last, '\n')
	}
}

func (b *batch) full() bool {
	return b.end-b.start >= batchBytes || max(b.lines, len(b.Entries)) >= batchLines
}

func (b *batch) reset() {
	b.Reset()
	b.lines = 0
}

// release returns the batch to its owner.
func (b *batch) release() {
	b.reset()
	b.owner <- b
}

package follow

import (
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A batch that reaches either limit is full, so that no scrape waits long for the lock,
// and prefetched batches take little memory.
const (
	batchBytes = 256 << 10
	batchLines = 1 << 10 // or entries, if lines hold several
)

// lineEnd is how many bytes of the last line are checked before reading continues.
const lineEnd = 255

// A batch holds the entries of some consecutive lines of a file: the content of one step.
type batch struct {
	transcript.Buffer
	start, end int64 // offsets of the first line, and behind the last line
	lines      int
	last       []byte             // the end of the last line, with its newline
	mark       tailer.Fingerprint // of the file read up to end
	home       chan<- *batch      // where to return it; nil if it is not shared
}

// add records a line. The end of one that is too long is not known.
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

// reset empties the batch.
func (b *batch) reset() {
	b.Reset()
	b.lines = 0
}

// release returns the batch to its owner.
func (b *batch) release() {
	b.reset()
	b.home <- b
}

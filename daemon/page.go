package daemon

import (
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A page is full when it has grown to either of these, so that no scrape waits
// long for the lock, and what is read ahead takes little memory.
const (
	pageBytes = 256 << 10
	pageLines = 1 << 10 // or entries, where a line holds several
)

// lineEnd is how many bytes of the last line tell whether it is still there.
const lineEnd = 255

// A page holds what some consecutive lines of a file say: what one step takes in.
type page struct {
	transcript.Page
	start, end int64 // offsets of the first line, and behind the last one
	lines      int
	last       []byte       // the end of the last line, its newline with it
	mark       tailer.Mark  // of the file, read up to end
	home       chan<- *page // who waits to write on it again; nil if it is not given away
}

// took notes a line that was taken. How one that is too long ended is not known.
func (p *page) took(l tailer.Line) {
	if p.lines == 0 {
		p.start = l.Start
	}
	p.lines++
	p.end = l.End
	p.last = append(p.last[:0], l.Bytes[max(0, len(l.Bytes)-lineEnd):]...)
	if !l.TooLong && l.End > l.Start+int64(len(l.Bytes)) {
		p.last = append(p.last, '\n')
	}
}

func (p *page) full() bool {
	return p.end-p.start >= pageBytes || max(p.lines, len(p.Entries)) >= pageLines
}

// reset empties the page.
func (p *page) reset() {
	p.Reset()
	p.lines = 0
}

// giveBack returns the page to whom it came from.
func (p *page) giveBack() {
	p.reset()
	p.home <- p
}

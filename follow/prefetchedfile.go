package follow

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A prefetch is one prefetched file.
type prefetch struct {
	name   watcher.File
	ctx    context.Context //nolint:containedctx // canceled when the lines are not needed
	cancel context.CancelFunc

	opened   sync.WaitGroup // afterwards the next fields are set
	file     *openedFile    // nil if it could not be opened
	size     int64
	modified time.Time
	offset   int64 // of the first batch

	batches chan *batch   // closed after the last batch; then cursor is set
	cursor  tailer.Cursor // the end of the prefetched part
	taken   []*batch      // by the follower before it applies them, see lookAhead
}

// discard stops reading and releases the remaining batches.
func (p *prefetch) discard() {
	if p == nil {
		return
	}
	p.cancel()
	for b := p.take(); b != nil; b = p.take() {
		b.release()
	}
}

// take returns the next batch, nil after the last batch.
func (p *prefetch) take() *batch {
	if len(p.taken) == 0 {
		return <-p.batches
	}
	b := p.taken[0]
	p.taken = p.taken[1:]
	return b
}

// drop discards the prefetch and closes its file.
func (p *prefetch) drop() {
	p.discard()
	if p.file != nil {
		_ = p.file.Close() // opened for reading only
	}
}

// fits reports whether the follower would read exactly the prefetched lines.
func (p *prefetch) fits(a *activeFile) bool {
	return p != nil && p.offset == a.offset && p.size == a.size && p.modified.Equal(a.modified)
}

// accept applies the prefetched batches of a file if they fit.
func (f *Follower) accept(p *prefetch, a *activeFile) {
	if !p.fits(a) {
		return
	}
	f.accepted = p
	for b := p.take(); b != nil; b = p.take() {
		f.apply(a, b)
		b.release()
	}
	f.accepted = nil
	a.advance(p.cursor)
}

// lookAhead returns the start directory that a file states, as searchStartDir does, if
// the prefetched batches decide it. b is the first batch with a directory; the follower
// has released all batches before it.
func (p *prefetch) lookAhead(b *batch, encoded []string) (dir string, decided bool) {
	if p == nil || p.offset > 0 || p.size > searchBytes {
		return "", false
	}
	// The goroutine sends one batch after another until none is free.
	for n := 0; b != nil; n++ {
		for i := range b.Entries {
			cwd := b.Entries[i].CWD
			if start := transcript.StartDir(encoded, cwd); start != "" {
				return start, true
			}
			dir = cmp.Or(dir, cwd)
		}
		if n == prefetchBatches-1 {
			return "", false
		}
		if b = <-p.batches; b != nil {
			p.taken = append(p.taken, b)
		}
	}
	return dir, p.cursor.Scanned == p.size
}

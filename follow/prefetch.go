package follow

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"syscall"

	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/watcher"
)

const (
	// maxPrefetchers limits the goroutines. More goroutines would read faster than the
	// follower can apply.
	maxPrefetchers = 8
	// prefetchBatches is the number of batches that each goroutine may be ahead.
	prefetchBatches = 8
	// prefetchLine is the maximum length of a prefetched line, in bytes: each goroutine
	// holds memory for one line.
	prefetchLine = 4 << 20
)

// A prefetcher reads several files concurrently before the follower needs them. It only
// predicts the follower's reads: the follower takes the files in its own order,
// identifies each file, and reads it itself if the prediction was wrong. Prefetching
// affects the speed of reading and never the counters.
type prefetcher struct {
	ctx      context.Context //nolint:containedctx // canceled by stop
	cancel   context.CancelFunc
	running  sync.WaitGroup
	follower *Follower           // only for fields that do not change during prefetching
	offsets  map[tailer.ID]int64 // of known files that are not read again
	maxLine  int
	left     int // files not taken by the follower

	mu    sync.Mutex
	todo  []watcher.FoundFile // files not started
	ready chan *prefetch      // in the order of the files
}

// inOrder calls read for each file until ctx ends, while up to one goroutine for each
// processor, at most maxPrefetchers, prefetches the next files.
func (f *Follower) inOrder(ctx context.Context, roots roots, files []watcher.FoundFile, read func(watcher.FoundFile)) {
	f.prefetcher = f.startPrefetching(ctx, roots, files, f.maxLine, runtime.GOMAXPROCS(0))
	defer func() {
		f.prefetcher.stop()
		f.prefetcher = nil
	}()
	for _, found := range files {
		if ctx.Err() != nil {
			return
		}
		read(found)
	}
}

// startPrefetching starts n goroutines that read the files in this order.
func (f *Follower) startPrefetching(ctx context.Context, roots roots, files []watcher.FoundFile, maxLine, n int) *prefetcher {
	ctx, cancel := context.WithCancel(ctx)
	n = min(n, maxPrefetchers)
	p := &prefetcher{
		ctx: ctx, cancel: cancel, follower: f, offsets: f.offsets(), maxLine: min(maxLine, prefetchLine),
		left: len(files), todo: files, ready: make(chan *prefetch, 2*n),
	}
	for range n {
		own := roots.forGoroutine()
		p.running.Go(func() { p.run(own) })
	}
	return p
}

// stop stops the goroutines and waits for them.
func (p *prefetcher) stop() {
	p.cancel()
	p.running.Wait()
	for len(p.ready) > 0 {
		(<-p.ready).drop()
	}
}

// run prefetches one file after another.
func (p *prefetcher) run(roots roots) {
	free := make(chan *batch, prefetchBatches)
	for range prefetchBatches {
		free <- &batch{owner: free}
	}
	decoder := newLineDecoder(tailer.NewBulkReader(p.maxLine), <-free)
	defer roots.closeDirs()
	for pf := p.next(); pf != nil; pf = p.next() {
		p.read(&decoder, roots, pf, free)
	}
}

// next starts the next file. It returns nil if no file is left, or after stop.
func (p *prefetcher) next() *prefetch {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.todo) == 0 || p.ctx.Err() != nil {
		return nil
	}
	pf := &prefetch{name: p.todo[0].File, batches: make(chan *batch, prefetchBatches)}
	pf.ctx, pf.cancel = context.WithCancel(p.ctx)
	pf.opened.Add(1)
	select {
	case p.ready <- pf:
		p.todo = p.todo[1:]
		return pf
	case <-p.ctx.Done():
		return nil
	}
}

// read reads one file. After an error the follower reads it and gets the same error.
func (p *prefetcher) read(decoder *lineDecoder, roots roots, pf *prefetch, free <-chan *batch) {
	defer close(pf.batches)
	err := p.open(roots, pf)
	pf.opened.Done()
	if err != nil {
		return
	}
	r := &batchReader{lineDecoder: decoder, file: pf.file.File, path: p.follower.digest(pf.name), alive: func() {}, prefetching: true}
	r.take = func(b *batch) (*batch, error) {
		pf.batches <- b
		select {
		case b = <-free: // unneeded batches are released too
			return b, pf.ctx.Err()
		case <-p.ctx.Done():
			return nil, p.ctx.Err()
		}
	}
	pf.cursor, _ = r.read(pf.ctx, tailer.Cursor{Offset: pf.offset}, pf.size)
}

// open opens a file and predicts the follower's offset.
func (p *prefetcher) open(roots roots, pf *prefetch) error {
	if isArchive(pf.name) {
		return errArchive
	}
	file, err := roots.openFile(pf.name)
	if err != nil {
		return err
	}
	identity, err := tailer.IdentifyStat(file.File, file.info)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	pf.file, pf.size, pf.modified = file, file.info.Size(), file.info.ModTime()
	if offset := p.offsets[identity]; offset <= pf.size {
		pf.offset = offset
	}
	return nil
}

// take returns the prefetch of a file, or nil. Earlier files in the order are dropped.
func (p *prefetcher) take(name watcher.File) *prefetch {
	for p != nil && p.left > 0 {
		select {
		case pf := <-p.ready:
			p.left--
			pf.opened.Wait()
			if pf.name == name {
				return pf
			}
			pf.drop()
		case <-p.ctx.Done():
			return nil
		}
	}
	return nil
}

// open opens a file, or returns an open file with its current description: a kept file
// or a prefetcher's.
func (f *Follower) open(roots roots, name watcher.File) (*openedFile, *prefetch, error) {
	if p := f.prefetcher.take(name); p != nil && p.file != nil {
		file, err := p.file.refresh()
		if err != nil {
			p.drop()
		}
		return file, p, err
	}
	if file := f.takeKept(name); file != nil {
		return file, nil, nil
	}
	file, err := roots.openFile(name)
	if errors.Is(err, syscall.EMFILE) && len(f.kept) > 0 {
		f.CloseFiles()
		roots[name.Root].err = nil
		file, err = roots.openFile(name)
	}
	return file, nil, err
}

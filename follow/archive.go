package follow

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// maxZstdWindow is the memory that a zstd file may ask for, in bytes: what zstd itself
// grants.
const maxZstdWindow = 128 << 20

var errArchive = errors.New("archives are not prefetched")

func isArchive(name watcher.File) bool { return transcript.IsArchive(filepath.Base(name.Rel)) }

// decompress returns the content of an archive. However much it is, it is never held as
// a whole. Reading it ends with ctx.
func decompress(ctx context.Context, r io.Reader, name string) (io.ReadCloser, error) {
	in := canceledReader{ctx, r}
	if !transcript.IsZstd(name) {
		return gzip.NewReader(in)
	}
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// A canceledReader fails once its context ends.
type canceledReader struct {
	ctx context.Context //nolint:containedctx // of one call of readArchive
	io.Reader
}

func (r canceledReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// readArchive reads a compressed transcript from its beginning to its end, once. Its
// lines have the positions of the lines of the plain file, so lines without ids count
// once with it.
func (f *Follower) readArchive(ctx context.Context, file *openedFile, name watcher.File, a *activeFile) (err error) {
	if a.offset > 0 {
		return nil // it was given twice
	}
	content, err := decompress(ctx, file.File, name.Rel)
	if err != nil {
		return fmt.Errorf("decompress: %w", err)
	}
	defer content.Close() //nolint:errcheck // only read
	b := f.batchReader(nil, watcher.File{Root: name.Root, Rel: transcript.PlainName(name.Rel)}, a)
	b.ctx = ctx
	rest, err := tailer.StreamLines(canceledReader{ctx, content}, f.maxLine, b.line)
	if b.batch.lines > 0 {
		err = errors.Join(err, b.flush())
	}
	if err == nil && len(rest.Bytes) > 0 {
		err = b.tail(rest)
	}
	end, failure := tailer.NewFingerprint(file.File, file.info.Size())
	f.state.Change(func(*ledger.Ledger, int64) { f.files.setFingerprint(a.id, end) })
	a.fingerprint, a.offset, a.searched = end, end.Offset, end.Offset
	f.keep(a)
	return errors.Join(err, failure)
}

// streamBeginning passes the lines at the beginning of an archive to fn.
func (f *Follower) streamBeginning(file *openedFile, name watcher.File, fn func(tailer.Line) error) {
	content, err := decompress(context.Background(), file.File, name.Rel)
	if err != nil {
		return
	}
	defer content.Close() //nolint:errcheck // only read
	_, _ = tailer.StreamLines(io.LimitReader(content, searchBytes), f.maxLine, fn)
}

// openArchive opens the archive of a plain file.
func (f *Follower) openArchive(roots roots, name *watcher.File) (*openedFile, error) {
	plain := name.Rel
	for _, archive := range transcript.ArchivesOf(plain) {
		name.Rel = archive
		if file, err := roots.openFile(*name); err == nil {
			return file, nil
		}
	}
	return nil, fs.ErrNotExist
}

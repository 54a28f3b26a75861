package tailer

import (
	"io"
	"io/fs"
	"os"

	"github.com/nxadm/tail"
)

// LiveGrowth is the growth in bytes up to which a file counts as being written right now, so that it is read through nxadm/tail.
const LiveGrowth = 256 << 10

// drain is Lines through nxadm/tail. It returns the lines before any of them is acted upon: if there is the least doubt about them it returns
// false, nothing has happened, and the block reader takes over.
func (r *Reader) drain(f *os.File, size int64, from Cursor) (lines []Line, to Cursor, ok bool) {
	info, err := f.Stat()
	if err != nil {
		return nil, from, false
	}
	for _, name := range aliases(f) {
		if !leadsTo(name, info) {
			continue
		}
		lines, to, ok = r.tail(name, size, from)
		return lines, to, ok && leadsTo(name, info)
	}
	return nil, from, false
}

// leadsTo says whether opening name opens the file that info is of.
func leadsTo(name string, info fs.FileInfo) bool {
	found, err := os.Stat(name)
	return err == nil && os.SameFile(found, info)
}

// tail reads the file once to its end, in the one manner of nxadm/tail that is exact and leaves nothing behind: without following, and by
// the offset it tells with each line, which is the one behind it. As it also reports an unterminated rest as a line, and as its file may have
// grown beyond size by now, each line has to show by its length that its "\n" was there, and by its offset that it was in time. As it takes an
// error of reading for the end of the file, it has to have come as far as size.
func (r *Reader) tail(name string, size int64, from Cursor) (lines []Line, to Cursor, ok bool) {
	t, err := tail.TailFile(name, tail.Config{
		Location:      &tail.SeekInfo{Offset: from.Offset, Whence: io.SeekStart},
		MustExist:     true,
		CompleteLines: true,
		Logger:        tail.DiscardingLogger,
	})
	if err != nil {
		return nil, from, false
	}
	to, ok = from, true
	for l := range t.Lines {
		start, end := to.Offset, l.SeekInfo.Offset
		n := int64(len(l.Text))
		complete := end == start+n+1
		if !complete || end > size {
			to.Scanned = min(end, size)
			ok = complete || end == start+n
			break
		}
		lines = append(lines, r.line([]byte(l.Text), start, start+n))
		to = Cursor{Offset: end, Scanned: end}
	}
	err = t.Stop() // it also waits: only then its file is closed
	return lines, to, ok && err == nil && to.Scanned == size
}

// deliver passes lines that were read up to a cursor to fn.
func deliver(lines []Line, to Cursor, fn func(Line) error) (Cursor, error) {
	for _, line := range lines {
		if err := fn(line); err != nil {
			return Cursor{Offset: line.Start, Scanned: line.Start}, err
		}
	}
	return to, nil
}

package tailer

import (
	"io"
	"io/fs"
	"os"

	"github.com/nxadm/tail"
)

// LiveGrowth is the maximum growth in bytes of a file that is read through nxadm/tail,
// since it is probably being written.
const LiveGrowth = 256 << 10

// maxKeptText limits the memory kept for the lines of the next read, in bytes.
const maxKeptText = 64 << 10

// readLive implements Lines through nxadm/tail. It returns the lines before delivering
// any. It returns false if they may be incomplete: then the block reader takes over.
// Whether the system can reopen a descriptor by name is checked once.
func (r *Reader) readLive(f *os.File, size int64, from Cursor) (lines []Line, to Cursor, ok bool) {
	names := reopenPaths(f)
	if r.reopenVerified {
		return r.tail(names[r.reopenIndex], size, from)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, from, false
	}
	for i, name := range names {
		if !refersTo(name, info) {
			continue
		}
		lines, to, ok = r.tail(name, size, from)
		ok = ok && refersTo(name, info)
		r.reopenIndex, r.reopenVerified = i, ok && reopensDescriptors
		return lines, to, ok
	}
	return nil, from, false
}

// refersTo reports whether name refers to the file described by info.
func refersTo(name string, info fs.FileInfo) bool {
	found, err := os.Stat(name)
	return err == nil && os.SameFile(found, info)
}

// tail reads the file once to its end without following it, the mode of nxadm/tail that
// is exact and leaks nothing. The library reports the offset after each line. It also
// reports an unterminated rest as a line, and the file may have grown beyond size, so
// the length of each line must show that its newline exists, and its offset that it
// ends before size. The library treats a read error as the end of the file, so it must
// have reached size. The lines are valid until the next call.
func (r *Reader) tail(name string, size int64, from Cursor) (lines []Line, to Cursor, ok bool) {
	t, err := tail.TailFile(name, tail.Config{
		Location:    &tail.SeekInfo{Offset: from.Offset, Whence: io.SeekStart},
		MustExist:   true,
		MaxLineSize: int(max(size-from.Offset, 4<<10)), // also the size of the library's buffer
		// Without Pipe the library asks the system for the position before each line.
		// Pipe has no other effect on a file that is not followed.
		Pipe:   true,
		Logger: tail.DiscardingLogger,
	})
	if err != nil {
		return nil, from, false
	}
	to, ok = from, true
	r.text, lines = r.text[:0], r.lines[:0]
	for l := range t.Lines {
		start, end := to.Offset, l.SeekInfo.Offset
		n := int64(len(l.Text))
		complete := end == start+n+1
		if !complete || end > size {
			to.Scanned = min(end, size)
			ok = complete || end == start+n
			break
		}
		i := len(r.text)
		r.text = append(r.text, l.Text...) // moving it leaves the earlier lines valid
		lines = append(lines, r.line(r.text[i:len(r.text):len(r.text)], start, start+n))
		to = Cursor{Offset: end, Scanned: end}
	}
	if cap(r.text) > maxKeptText {
		r.text, r.lines = nil, nil
	} else {
		r.lines = lines
	}
	err = t.Stop() // also waits until the file is closed
	return lines, to, ok && err == nil && to.Scanned == size
}

// deliver passes lines to fn. to is the cursor after the last line.
func deliver(lines []Line, to Cursor, fn func(Line) error) (Cursor, error) {
	for _, line := range lines {
		if err := fn(line); err != nil {
			return Cursor{Offset: line.Start, Scanned: line.Start}, err
		}
	}
	return to, nil
}

package tailer

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

// counted counts what is read.
type counted struct {
	io.ReaderAt
	bytes int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.bytes += n
	return n, err
}

// A line that comes in a thousand pieces is searched once and gathered once.
func TestLongLineIsLinear(t *testing.T) {
	const pieces, piece = 1000, 5000
	content := append(bytes.Repeat([]byte("x"), pieces*piece-1), '\n')
	f := &counted{ReaderAt: bytes.NewReader(content)}
	r := NewReader(0)
	var at Cursor
	var lines []taken
	for i := range pieces {
		var err error
		if at, err = r.scan(f, int64(i+1)*piece, at, into(&lines)); err != nil {
			t.Fatal(err)
		}
	}
	if len(lines) != 1 || lines[0].End != pieces*piece || len(lines[0].Text) != pieces*piece-1 {
		t.Fatalf("got %d lines", len(lines))
	}
	if limit := 2 * len(content); f.bytes > limit {
		t.Errorf("read %d bytes for a line of %d", f.bytes, len(content))
	}
}

// The same holds for Lines, which must not choose nxadm/tail for a rest that was searched: it would begin at the line's first byte.
func TestLongLineIsNotDrainedAgain(t *testing.T) {
	name := write(t, []byte("begin"))
	f := open(t, name)
	r := NewReader(0)
	at, err := r.Lines(f, 5, Cursor{}, func(Line) error { return nil })
	if err != nil || at != (Cursor{0, 5}) {
		t.Fatalf("read up to %v, %v", at, err)
	}
	if r.block != nil {
		t.Fatal("the first piece was not drained through nxadm/tail")
	}
	appendTo(t, name, []byte("end\n"))
	var lines []taken
	at, err = r.Lines(f, 9, at, into(&lines))
	if err != nil || at != (Cursor{9, 9}) || !slices.Equal(lines, []taken{{"beginend", 0, 9, false}}) {
		t.Fatalf("read %v up to %v, %v", lines, at, err)
	}
	if string(r.block) != "end\n" {
		t.Fatalf("the second piece was read as %q, want only what is new", r.block)
	}
}

// A line over the limit takes no memory and is not read twice; a very long one within it does not keep its memory.
func TestLongLinesTakeNoMemory(t *testing.T) {
	content := append(bytes.Repeat([]byte("x"), 8<<20), '\n')
	for _, tt := range []struct {
		limit   int
		tooLong bool
		read    int
	}{
		{limit: len(content) - 2, tooLong: true, read: len(content)},
		{limit: len(content) - 1, tooLong: false, read: 2*len(content) - 1},
	} {
		r := NewReader(tt.limit)
		f := &counted{ReaderAt: bytes.NewReader(content)}
		held, calls := 0, 0
		_, err := r.scan(f, int64(len(content)), Cursor{}, func(l Line) error {
			calls++
			if l.TooLong != tt.tooLong || (l.Bytes == nil) != tt.tooLong || l.Start != 0 || l.End != int64(len(content)) {
				t.Errorf("limit %d: too long %t, %d bytes, [%d, %d)", tt.limit, l.TooLong, len(l.Bytes), l.Start, l.End)
			}
			held = cap(r.long)
			return nil
		})
		if err != nil || calls != 1 {
			t.Fatalf("limit %d: %d lines, %v", tt.limit, calls, err)
		}
		if tt.tooLong && held > 0 {
			t.Errorf("a line that is too long took %d bytes", held)
		}
		if f.bytes != tt.read {
			t.Errorf("limit %d: read %d bytes, want %d", tt.limit, f.bytes, tt.read)
		}
		if cap(r.long) > blockSize {
			t.Errorf("limit %d: %d bytes are kept", tt.limit, cap(r.long))
		}
	}
}

// A growth of exactly LiveGrowth is drained, and a byte more is scanned.
func TestLinesChooses(t *testing.T) {
	for _, tt := range []struct {
		size  int
		block bool
	}{{LiveGrowth, false}, {LiveGrowth + 1, true}} {
		f := open(t, write(t, append(bytes.Repeat([]byte("x"), tt.size-1), '\n')))
		r := NewReader(0)
		_, _, ok := r.readLive(f, int64(tt.size), Cursor{})
		skipUnsafe(t, ok)
		to, err := r.Lines(f, int64(tt.size), Cursor{}, func(Line) error { return nil })
		if err != nil || to.Offset != int64(tt.size) {
			t.Fatalf("read up to %v, %v", to, err)
		}
		if (r.block != nil) != tt.block {
			t.Errorf("a growth of %d bytes: block reader %t, want %t", tt.size, r.block != nil, tt.block)
		}
	}
}

// A reader for catching up uses blocks for the smallest growth too, and the memory of a long line for all that follow.
func TestBulkReader(t *testing.T) {
	small := write(t, []byte("one\n"))
	long := write(t, append(bytes.Repeat([]byte("x"), blockSize+10), '\n'))
	r := NewBulkReader(0)
	var kept *byte
	for range 2 {
		for _, name := range []string{long, small} {
			f := open(t, name)
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Lines(f, info.Size(), Cursor{}, func(Line) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if string(r.block) != "one\n" {
			t.Errorf("the small file was not read as a block, which is %d bytes long", len(r.block))
		}
		if len(r.long) != blockSize+10 {
			t.Fatalf("%d bytes are left of the long line", len(r.long))
		}
		if kept != nil && kept != &r.long[0] {
			t.Error("the long line took memory a second time")
		}
		kept = &r.long[0]
	}
}

// One goroutine writes in pieces that end anywhere while another reads: every line comes exactly once.
func TestLinesWhileWritten(t *testing.T) {
	const count = 3000
	rnd := rand.New(rand.NewPCG(1, 2))
	var content []byte
	var want []taken
	for i := range count {
		text := fmt.Sprintf("%d %s", i, repeat("x", rnd.IntN(300)))
		start := int64(len(content))
		content = append(append(content, text...), '\n')
		want = append(want, taken{text, start, int64(len(content)), false})
	}
	pieces := make([]int, 0, count)
	for n := 0; n < len(content); {
		p := min(1+rnd.IntN(2000), len(content)-n)
		pieces = append(pieces, p)
		n += p
	}

	name := write(t, nil)
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		rest := content
		for _, p := range pieces {
			appendTo(t, name, rest[:p])
			rest = rest[p:]
		}
	})

	f := open(t, name)
	r := NewReader(0)
	var at Cursor
	var mark Fingerprint
	var lines []taken
	for deadline := time.Now().Add(patience); at.Offset < int64(len(content)); {
		if time.Now().After(deadline) {
			t.Fatalf("only %d of %d lines came", len(lines), count)
		}
		at, mark = step(t, f, r, at, mark, &lines)
	}
	if !slices.Equal(lines, want) {
		t.Fatal("the lines are not those that were written")
	}
}

// step is one reading of a growing file, marks and all.
func step(t *testing.T, f *os.File, r *Reader, at Cursor, mark Fingerprint, lines *[]taken) (Cursor, Fingerprint) {
	t.Helper()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if v, err := mark.Check(f, info.Size()); v != Unchanged || err != nil {
		t.Fatalf("at %v the file is %v, %v", at, v, err)
	}
	at, err = r.Lines(f, info.Size(), at, into(lines))
	if err != nil {
		t.Fatal(err)
	}
	mark, err = NewFingerprint(f, at.Offset)
	if err != nil {
		t.Fatal(err)
	}
	return at, mark
}

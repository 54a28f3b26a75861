package tailer

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A line written in many pieces is scanned once and collected once.
func TestLongLineTakesLinearTime(t *testing.T) {
	const pieces, piece = 1000, 5000
	const size = pieces * piece
	text := strings.Repeat("x", size-1)
	f := &countingReader{ReaderAt: strings.NewReader(text + "\n")}
	r := NewReader(0)
	var at Cursor
	var lines []string
	for i := range pieces {
		var err error
		at, err = r.scan(f, int64(i+1)*piece, at, collect(&lines))
		noError(t, err)
	}
	checkRead(t, lines, at, nil, []string{fmt.Sprintf("0-%d %s", size, text)}, Cursor{size, size})
	if limit := 2 * size; f.bytes > limit {
		t.Errorf("read %d bytes, want at most %d", f.bytes, limit)
	}
}

// Lines must not use nxadm/tail for a rest that was scanned before, because the library
// would read it from its start again.
func TestScannedRestIsNotReadAgain(t *testing.T) {
	path := writeFile(t, "begin")
	f, r := openFile(t, path), NewReader(0)
	var lines []string
	at, err := r.Lines(f, 5, Cursor{}, collect(&lines))
	checkRead(t, lines, at, err, nil, Cursor{0, 5})
	if r.block != nil {
		t.Fatal("the first piece was read by the block reader, want nxadm/tail")
	}
	appendTo(t, path, "end\n")
	at, err = r.Lines(f, 9, at, collect(&lines))
	checkRead(t, lines, at, err, []string{"0-9 beginend"}, Cursor{9, 9})
	if string(r.block) != "end\n" {
		t.Errorf("read block %q, want only the second piece", r.block)
	}
}

// Lines that cross blocks are read once, together with the lines beside them.
func TestLinesAreReadOnce(t *testing.T) {
	var content strings.Builder
	var want []string
	for _, n := range []int{1, blockSize - 10, 100, blockSize, keptLine, 3, keptLine - 1, 2 * blockSize, 5000} {
		start, text := content.Len(), strings.Repeat("x", n)
		content.WriteString(text + "\n")
		want = append(want, fmt.Sprintf("%d-%d %s", start, content.Len(), text))
	}
	for _, r := range []*Reader{NewReader(0), NewBulkReader(keptLine)} {
		f := &countingReader{ReaderAt: strings.NewReader(content.String())}
		var lines []string
		to, err := r.scan(f, int64(content.Len()), Cursor{}, collect(&lines))
		end := int64(content.Len())
		checkRead(t, lines, to, err, want, Cursor{end, end})
		if f.bytes != content.Len() || r.long != nil {
			t.Errorf("read %d bytes, %d of them twice, want %d", f.bytes, len(r.long), content.Len())
		}
		if limit := keptLine + 2*blockSize; cap(r.block) > limit || !r.bulk && r.block != nil {
			t.Errorf("kept %d bytes in a bulk reader: %t, want at most %d", cap(r.block), r.bulk, limit)
		}
	}
}

// A line beyond the limit takes no memory and is read once. The memory of a very long
// line within the limit is released.
func TestMemoryOfLongLines(t *testing.T) {
	content := strings.Repeat("x", 8<<20) + "\n"
	for _, tt := range []struct {
		limit   int
		tooLong bool
		read    int
	}{
		{limit: len(content) - 2, tooLong: true, read: len(content)},
		{limit: len(content) - 1, tooLong: false, read: 2*len(content) - 1},
	} {
		r := NewReader(tt.limit)
		f := &countingReader{ReaderAt: strings.NewReader(content)}
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
			t.Fatalf("limit %d: got %d lines, %v, want 1", tt.limit, calls, err)
		}
		if tt.tooLong && held > 0 {
			t.Errorf("limit %d: a line that is too long took %d bytes, want 0", tt.limit, held)
		}
		if f.bytes != tt.read {
			t.Errorf("limit %d: read %d bytes, want %d", tt.limit, f.bytes, tt.read)
		}
		if cap(r.long) > blockSize {
			t.Errorf("limit %d: kept %d bytes, want at most %d", tt.limit, cap(r.long), blockSize)
		}
	}
}

func TestLinesUsesBlocksAboveLiveGrowth(t *testing.T) {
	for size, want := range map[int64]bool{LiveGrowth: false, LiveGrowth + 1: true} {
		f, r := openContent(t, strings.Repeat("x", int(size)-1)+"\n"), NewReader(0)
		_, _, ok := r.readLive(f, size, Cursor{})
		requireLive(t, ok)
		to, err := r.Lines(f, size, Cursor{}, ignore)
		if err != nil || to.Offset != size {
			t.Fatalf("read to %v, %v, want to %d", to, err, size)
		}
		if got := r.block != nil; got != want {
			t.Errorf("growth of %d bytes: used block reader %t, want %t", size, got, want)
		}
	}
}

// A bulk reader uses blocks even for small files, and keeps the memory of long lines.
func TestBulkReader(t *testing.T) {
	const longLine = keptLine + blockSize + 10
	small, long := openContent(t, "one\n"), openContent(t, strings.Repeat("x", longLine)+"\n")
	r := NewBulkReader(0)
	var kept *byte
	for range 2 {
		_, err := r.Lines(long, longLine+1, Cursor{}, ignore)
		noError(t, err)
		_, err = r.Lines(small, 4, Cursor{}, ignore)
		noError(t, err)
		if string(r.block) != "one\n" {
			t.Errorf("last block has %d bytes, want the small file", len(r.block))
		}
		if len(r.long) != longLine {
			t.Fatalf("kept %d bytes of the long line, want %d", len(r.long), longLine)
		}
		if kept != nil && kept != &r.long[0] {
			t.Error("the memory of the long line was allocated again")
		}
		kept = &r.long[0]
	}
}

// One goroutine writes pieces of lines while another goroutine reads: every line is
// read exactly once.
func TestLinesWhileWritten(t *testing.T) {
	const count = 3000
	rnd := rand.New(rand.NewPCG(1, 2))
	var content strings.Builder
	var want []string
	for i := range count {
		start := content.Len()
		text := fmt.Sprintf("%d %s", i, strings.Repeat("x", rnd.IntN(300)))
		content.WriteString(text + "\n")
		want = append(want, fmt.Sprintf("%d-%d %s", start, content.Len(), text))
	}
	path := writeFile(t, "")
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		for rest := content.String(); rest != ""; {
			n := min(1+rnd.IntN(2000), len(rest))
			appendTo(t, path, rest[:n])
			rest = rest[n:]
		}
	})

	f, r := openFile(t, path), NewReader(0)
	var at Cursor
	var fingerprint Fingerprint
	var lines []string
	for deadline := time.Now().Add(timeout); at.Offset < int64(content.Len()); {
		if time.Now().After(deadline) {
			t.Fatalf("got %d lines, want %d", len(lines), count)
		}
		at, fingerprint = readGrowth(t, f, r, at, fingerprint, collect(&lines))
	}
	if !slices.Equal(lines, want) {
		t.Error("the lines differ from those written")
	}
}

// readGrowth reads a growing file once and returns the new cursor and fingerprint.
func readGrowth(
	t testing.TB, f *os.File, r *Reader, at Cursor, p Fingerprint, fn func(Line) error,
) (Cursor, Fingerprint) {
	t.Helper()
	info, err := f.Stat()
	noError(t, err)
	if v, err := p.Check(f, info.Size()); v != Unchanged || err != nil {
		t.Fatalf("at %v: got %v, %v, want %v", at, v, err, Unchanged)
	}
	at, err = r.Lines(f, info.Size(), at, fn)
	noError(t, err)
	p, err = NewFingerprint(f, at.Offset)
	noError(t, err)
	return at, p
}

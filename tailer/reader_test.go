package tailer

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"testing"
)

// A reading is Lines, or one of the two readers that it is made of. It returns false where nxadm/tail cannot be used safely.
type reading func(r *Reader, f *os.File, size int64, from Cursor, fn func(Line) error) (Cursor, error, bool)

var readings = []struct {
	name string
	read reading
}{
	{"lines", func(r *Reader, f *os.File, size int64, from Cursor, fn func(Line) error) (Cursor, error, bool) {
		to, err := r.Lines(f, size, from, fn)
		return to, err, true
	}},
	{"bulk", func(r *Reader, f *os.File, size int64, from Cursor, fn func(Line) error) (Cursor, error, bool) {
		r.bulk = true
		to, err := r.Lines(f, size, from, fn)
		return to, err, true
	}},
	{"scan", func(r *Reader, f *os.File, size int64, from Cursor, fn func(Line) error) (Cursor, error, bool) {
		to, err := r.scan(f, size, from.within(size), fn)
		return to, err, true
	}},
	{"scan by 3 bytes", func(r *Reader, f *os.File, size int64, from Cursor, fn func(Line) error) (Cursor, error, bool) {
		r.step = 3
		to, err := r.scan(f, size, from.within(size), fn)
		return to, err, true
	}},
	{"drain", func(r *Reader, f *os.File, size int64, from Cursor, fn func(Line) error) (Cursor, error, bool) {
		from = from.within(size)
		lines, to, ok := r.readLive(f, size, from)
		if !ok {
			return from, nil, false
		}
		to, err := deliver(lines, to, fn)
		return to, err, true
	}},
}

// skipUnsafe skips where drain is not to be used, which is not so where most people run it.
func skipUnsafe(t *testing.T, ok bool) {
	t.Helper()
	if ok {
		return
	}
	if runtime.GOOS == "linux" {
		t.Fatal("nxadm/tail was not used")
	}
	t.Skip("no safe name to open the file by")
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name    string
		content string
		size    int64 // 0: all of it
		from    Cursor
		limit   int
		want    []taken
		to      Cursor
	}{
		{name: "empty"},
		{name: "one", content: "a\n", want: []taken{{"a", 0, 2, false}}, to: Cursor{2, 2}},
		{name: "an unterminated rest is held back", content: "a\nbc", want: []taken{{"a", 0, 2, false}}, to: Cursor{2, 4}},
		{name: "nothing but a rest", content: "abc", to: Cursor{0, 3}},
		{
			name: "empty lines", content: "\n\na\n\n",
			want: []taken{{"", 0, 1, false}, {"", 1, 2, false}, {"a", 2, 4, false}, {"", 4, 5, false}}, to: Cursor{5, 5},
		},
		{
			name: "bytes are kept", content: "a\r\n\x00\n\xff\xfe\n\u2028\n",
			want: []taken{{"a\r", 0, 3, false}, {"\x00", 3, 5, false}, {"\xff\xfe", 5, 8, false}, {"\u2028", 8, 12, false}}, to: Cursor{12, 12},
		},
		{name: "from an offset", content: "a\nb\nc\n", from: Cursor{Offset: 2}, want: []taken{{"b", 2, 4, false}, {"c", 4, 6, false}}, to: Cursor{6, 6}},
		{name: "from the end", content: "a\nb\n", from: Cursor{Offset: 4}, to: Cursor{4, 4}},
		{name: "size on a newline", content: "a\nb\nc\n", size: 4, want: []taken{{"a", 0, 2, false}, {"b", 2, 4, false}}, to: Cursor{4, 4}},
		{name: "size before a newline", content: "a\nb\nc\n", size: 3, want: []taken{{"a", 0, 2, false}}, to: Cursor{2, 3}},
		{name: "size in a line", content: "a\nlonger\nc\n", size: 5, want: []taken{{"a", 0, 2, false}}, to: Cursor{2, 5}},
		{
			name: "longest allowed", content: "1234\n12345\n123\n", limit: 4,
			want: []taken{{"1234", 0, 5, false}, {"", 5, 11, true}, {"123", 11, 15, false}}, to: Cursor{15, 15},
		},
		{name: "too long and unterminated", content: "1\n123456789", limit: 4, want: []taken{{"1", 0, 2, false}}, to: Cursor{2, 11}},
		{name: "a searched rest", content: "a\nbcdef\n", from: Cursor{2, 5}, want: []taken{{"bcdef", 2, 8, false}}, to: Cursor{8, 8}},
		{name: "a searched rest still open", content: "a\nbcdef", from: Cursor{2, 5}, to: Cursor{2, 7}},
		{name: "searched behind the size", content: "a\nb\nc", size: 5, from: Cursor{2, 9}, want: []taken{{"b", 2, 4, false}}, to: Cursor{4, 5}},
		{name: "searched before the offset", content: "a\nb\n", from: Cursor{2, 1}, want: []taken{{"b", 2, 4, false}}, to: Cursor{4, 4}},
	} {
		for _, by := range readings {
			t.Run(tt.name+"/"+by.name, func(t *testing.T) {
				f := open(t, write(t, []byte(tt.content)))
				size := tt.size
				if size == 0 {
					size = int64(len(tt.content))
				}
				var lines []taken
				to, err, ok := by.read(NewReader(tt.limit), f, size, tt.from, into(&lines))
				skipUnsafe(t, ok)
				if err != nil || !slices.Equal(lines, tt.want) || to != tt.to {
					t.Fatalf("read %v up to %v, %v;\nwant %v up to %v", lines, to, err, tt.want, tt.to)
				}
			})
		}
	}
}

// A Reader takes nothing of one file over to the next.
func TestReaderOfManyFiles(t *testing.T) {
	for _, by := range readings {
		t.Run(by.name, func(t *testing.T) {
			r := NewReader(0)
			for _, content := range []string{"one\n", "two\n", "three\n", "6\n"} {
				var lines []taken
				size := int64(len(content))
				to, err, ok := by.read(r, open(t, write(t, []byte(content))), size, Cursor{}, into(&lines))
				skipUnsafe(t, ok)
				if err != nil || to.Offset != size || len(lines) != 1 || lines[0].Text+"\n" != content {
					t.Fatalf("%q: read %v up to %v, %v", content, lines, to, err)
				}
			}
		})
	}
}

// A file that was cut since its size was taken is read as far as it goes.
func TestLinesOfFileShorterThanItsSize(t *testing.T) {
	f := open(t, write(t, []byte("a\nb")))
	var lines []taken
	to, err := NewReader(0).Lines(f, 100, Cursor{}, into(&lines))
	if err != nil || !slices.Equal(lines, []taken{{"a", 0, 2, false}}) || to != (Cursor{2, 3}) {
		t.Fatalf("read %v up to %v, %v", lines, to, err)
	}
}

func TestLinesOfRefusedLine(t *testing.T) {
	refused := errors.New("no more")
	for _, by := range readings {
		t.Run(by.name, func(t *testing.T) {
			f := open(t, write(t, []byte("a\nbb\nccc\nd\n")))
			var lines []taken
			take := into(&lines)
			to, err, ok := by.read(NewReader(0), f, 11, Cursor{}, func(l Line) error {
				if string(l.Bytes) == "ccc" {
					return refused
				}
				return take(l)
			})
			skipUnsafe(t, ok)
			if !errors.Is(err, refused) || to != (Cursor{5, 5}) || len(lines) != 2 {
				t.Fatalf("read %v up to %v, %v; want two lines up to 5 and the error", lines, to, err)
			}
			lines = nil
			if to, err, _ = by.read(NewReader(0), f, 11, to, take); err != nil || to != (Cursor{11, 11}) || len(lines) != 2 {
				t.Fatalf("read %v up to %v, %v; want the other two lines", lines, to, err)
			}
		})
	}
}

// A line that was cut and written anew behind a remembered search is seen as it is now.
func TestLinesOfRestRewrittenSinceSearched(t *testing.T) {
	f := open(t, write(t, []byte("a\nnew\nold\nx")))
	var lines []taken
	to, err := NewReader(0).Lines(f, 11, Cursor{Offset: 2, Scanned: 8}, into(&lines))
	want := []taken{{"new", 2, 6, false}, {"old", 6, 10, false}}
	if err != nil || !slices.Equal(lines, want) || to != (Cursor{10, 11}) {
		t.Fatalf("read %v up to %v, %v; want %v", lines, to, err, want)
	}
}

func TestLinesOfUnreadable(t *testing.T) {
	for _, offset := range []int64{-5, 0} {
		f := open(t, write(t, []byte("a\n")))
		if err := f.Close(); offset == 0 && err != nil {
			t.Fatal(err)
		}
		from := Cursor{Offset: offset}
		to, err := NewReader(0).Lines(f, 2, from, func(Line) error { return nil })
		if err == nil || to.Offset != offset {
			t.Errorf("from %d: read up to %v, %v; want an error", offset, to, err)
		}
	}
}

// readAt is a file that fails in its own way.
type readAt func(p []byte, off int64) (int, error)

func (f readAt) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

// A line whose beginning cannot be had any more, when its end has just been found.
func TestScanOfLostBeginning(t *testing.T) {
	content := bytes.NewReader([]byte("long line\n"))
	for _, lost := range []error{io.EOF, errDisk} {
		f := readAt(func(p []byte, off int64) (int, error) {
			if off < 5 {
				return 0, lost
			}
			return content.ReadAt(p, off)
		})
		to, err := NewReader(0).scan(f, 10, Cursor{0, 5}, func(l Line) error {
			t.Errorf("%v: got the line %q", lost, l.Bytes)
			return nil
		})
		if want := !errors.Is(lost, io.EOF); to != (Cursor{}) || (err != nil) != want || want && !errors.Is(err, lost) {
			t.Errorf("%v: read up to %v, %v", lost, to, err)
		}
	}
}

// What was read before an error counts.
func TestScanUpToUnreadable(t *testing.T) {
	content := []byte("a\nbb\nccc\n")
	r := NewReader(0)
	r.step = 4
	var lines []taken
	to, err := r.scan(broken{bytes.NewReader(content), 6}, 9, Cursor{}, into(&lines))
	want := []taken{{"a", 0, 2, false}, {"bb", 2, 5, false}}
	if !errors.Is(err, errDisk) || !slices.Equal(lines, want) || to != (Cursor{5, 6}) {
		t.Fatalf("read %v up to %v, %v; want %v and the error", lines, to, err, want)
	}
}

func TestRest(t *testing.T) {
	for _, tt := range []struct {
		name    string
		content string
		at      Cursor
		limit   int
		want    string
	}{
		{name: "none", content: "a\n", at: Cursor{2, 2}},
		{name: "not searched", content: "a\nrest", at: Cursor{Offset: 2}},
		{name: "all", content: "a\nrest", at: Cursor{2, 6}, want: "rest"},
		{name: "what was searched", content: "a\nrest", at: Cursor{2, 5}, want: "res"},
		{name: "longest allowed", content: "a\nrest", at: Cursor{2, 6}, limit: 4, want: "rest"},
		{name: "too long", content: "a\nrest", at: Cursor{2, 6}, limit: 3},
		{name: "cut since", content: "a\nre", at: Cursor{2, 6}},
		{name: "written over since", content: "a\nr\nst", at: Cursor{2, 6}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := NewReader(tt.limit).Unterminated(open(t, write(t, []byte(tt.content))), tt.at)
			if err != nil || string(got) != tt.want || (got == nil) != (tt.want == "") {
				t.Fatalf("Rest = %q, %v; want %q", got, err, tt.want)
			}
		})
	}
	f := open(t, write(t, []byte("rest")))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := NewReader(0).Unterminated(f, Cursor{0, 4}); err == nil {
		t.Fatalf("Rest of a closed file = %q", got)
	}
}

func TestDefaultMaxLine(t *testing.T) {
	for _, n := range []int{0, -1} {
		if got := NewReader(n).MaxLine(); got != DefaultMaxLine {
			t.Errorf("NewReader(%d) reads lines up to %d", n, got)
		}
	}
}

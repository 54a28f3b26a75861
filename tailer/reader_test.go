package tailer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name    string
		content string
		size    int64 // 0: all of it
		from    Cursor
		limit   int
		want    string // joined by "|"
		to      Cursor
	}{
		{name: "empty"},
		{name: "one line", content: "a\n", want: "0-2 a", to: Cursor{2, 2}},
		{name: "unterminated rest", content: "a\nbc", want: "0-2 a", to: Cursor{2, 4}},
		{name: "only an unterminated rest", content: "abc", to: Cursor{0, 3}},
		{name: "empty lines", content: "\n\na\n\n", want: "0-1 |1-2 |2-4 a|4-5 ", to: Cursor{5, 5}},
		{
			name: "arbitrary bytes", content: "a\r\n\x00\n\xff\xfe\n\u2028\n",
			want: "0-3 a\r|3-5 \x00|5-8 \xff\xfe|8-12 \u2028", to: Cursor{12, 12},
		},
		{name: "from an offset", content: "a\nb\nc\n", from: Cursor{Offset: 2}, want: "2-4 b|4-6 c", to: Cursor{6, 6}},
		{name: "from the end", content: "a\nb\n", from: Cursor{Offset: 4}, to: Cursor{4, 4}},
		{name: "size after a newline", content: "a\nb\nc\n", size: 4, want: "0-2 a|2-4 b", to: Cursor{4, 4}},
		{name: "size before a newline", content: "a\nb\nc\n", size: 3, want: "0-2 a", to: Cursor{2, 3}},
		{name: "size in a line", content: "a\nlonger\nc\n", size: 5, want: "0-2 a", to: Cursor{2, 5}},
		{name: "longest line", content: "1234\n12345\n123\n", limit: 4, want: "0-5 1234|5-11!|11-15 123", to: Cursor{15, 15}},
		{name: "too long and unterminated", content: "1\n123456789", limit: 4, want: "0-2 1", to: Cursor{2, 11}},
		{name: "scanned rest, terminated", content: "a\nbcdef\n", from: Cursor{2, 5}, want: "2-8 bcdef", to: Cursor{8, 8}},
		{name: "scanned rest, unterminated", content: "a\nbcdef", from: Cursor{2, 5}, to: Cursor{2, 7}},
		{name: "scanned beyond the size", content: "a\nb\nc", size: 5, from: Cursor{2, 9}, want: "2-4 b", to: Cursor{4, 5}},
		{name: "scanned before the offset", content: "a\nb\n", from: Cursor{2, 1}, want: "2-4 b", to: Cursor{4, 4}},
	} {
		for _, method := range readMethods {
			t.Run(tt.name+"/"+method, func(t *testing.T) {
				size := tt.size
				if size == 0 {
					size = int64(len(tt.content))
				}
				want := strings.FieldsFunc(tt.want, func(c rune) bool { return c == '|' })
				f, r := openContent(t, tt.content), NewReader(tt.limit)
				var lines []string
				to, err := readBy(t, method, r, f, size, tt.from, collect(&lines))
				checkRead(t, lines, to, err, want, tt.to)
			})
		}
	}
}

func TestReaderIsReusable(t *testing.T) {
	for _, method := range readMethods {
		t.Run(method, func(t *testing.T) {
			r := NewReader(0)
			for _, text := range []string{"one", "two", "three", "6"} {
				var lines []string
				size := int64(len(text) + 1)
				to, err := readBy(t, method, r, openContent(t, text+"\n"), size, Cursor{}, collect(&lines))
				checkRead(t, lines, to, err, []string{fmt.Sprintf("0-%d %s", size, text)}, Cursor{size, size})
			}
		})
	}
}

func TestLinesOfFileTruncatedAfterStat(t *testing.T) {
	var lines []string
	to, err := NewReader(0).Lines(openContent(t, "a\nb"), 100, Cursor{}, collect(&lines))
	checkRead(t, lines, to, err, []string{"0-2 a"}, Cursor{2, 3})
}

func TestLinesReturnsErrorOfCallback(t *testing.T) {
	refused := errors.New("refused")
	for _, method := range readMethods {
		t.Run(method, func(t *testing.T) {
			f := openContent(t, "a\nbb\nccc\nd\n")
			var lines []string
			add := collect(&lines)
			to, err := readBy(t, method, NewReader(0), f, 11, Cursor{}, func(l Line) error {
				if string(l.Bytes) == "ccc" {
					return refused
				}
				return add(l)
			})
			if !errors.Is(err, refused) {
				t.Fatalf("got error %v, want %v", err, refused)
			}
			checkRead(t, lines, to, nil, []string{"0-2 a", "2-5 bb"}, Cursor{5, 5})
			lines = nil
			to, err = readBy(t, method, NewReader(0), f, 11, to, add)
			checkRead(t, lines, to, err, []string{"5-9 ccc", "9-11 d"}, Cursor{11, 11})
		})
	}
}

func TestLinesOfRestRewrittenAfterScan(t *testing.T) {
	var lines []string
	to, err := NewReader(0).Lines(openContent(t, "a\nnew\nold\nx"), 11, Cursor{2, 8}, collect(&lines))
	checkRead(t, lines, to, err, []string{"2-6 new", "6-10 old"}, Cursor{10, 11})
}

func TestLinesReadError(t *testing.T) {
	open, closed := openContent(t, "a\n"), closedFile(t)
	for _, tt := range []struct {
		name   string
		f      *os.File
		offset int64
	}{{"closed", closed, 0}, {"closed, negative offset", closed, -5}, {"negative offset", open, -5}} {
		to, err := NewReader(0).Lines(tt.f, 2, Cursor{Offset: tt.offset}, ignore)
		if err == nil || to.Offset != tt.offset {
			t.Errorf("%s: got %v, %v, want an error and the same offset", tt.name, to, err)
		}
	}
}

type readerAtFunc func(p []byte, off int64) (int, error)

func (f readerAtFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

// The end of a line is found, but its start cannot be read again.
func TestScanCannotReadStartOfLine(t *testing.T) {
	content := strings.NewReader("long line\n")
	for _, tt := range []struct{ cause, want error }{{io.EOF, nil}, {errDisk, errDisk}} {
		f := readerAtFunc(func(p []byte, off int64) (int, error) {
			if off < 5 {
				return 0, tt.cause
			}
			return content.ReadAt(p, off)
		})
		var lines []string
		to, err := NewReader(0).scan(f, 10, Cursor{0, 5}, collect(&lines))
		if !errors.Is(err, tt.want) || to != (Cursor{}) || lines != nil {
			t.Errorf("%v: got lines %q, cursor %v, error %v, want error %v", tt.cause, lines, to, err, tt.want)
		}
	}
}

// Lines before a read error are delivered.
func TestScanUpToReadError(t *testing.T) {
	r := NewReader(0)
	r.step = 4
	var lines []string
	to, err := r.scan(failingReader{strings.NewReader("a\nbb\nccc\n"), 6}, 9, Cursor{}, collect(&lines))
	if !errors.Is(err, errDisk) {
		t.Errorf("got error %v, want %v", err, errDisk)
	}
	checkRead(t, lines, to, nil, []string{"0-2 a", "2-5 bb"}, Cursor{5, 6})
}

func TestUnterminated(t *testing.T) {
	for _, tt := range []struct {
		name    string
		content string
		at      Cursor
		limit   int
		want    string
	}{
		{name: "empty", content: "a\n", at: Cursor{2, 2}},
		{name: "not scanned", content: "a\nrest", at: Cursor{Offset: 2}},
		{name: "scanned", content: "a\nrest", at: Cursor{2, 6}, want: "rest"},
		{name: "partly scanned", content: "a\nrest", at: Cursor{2, 5}, want: "res"},
		{name: "longest line", content: "a\nrest", at: Cursor{2, 6}, limit: 4, want: "rest"},
		{name: "too long", content: "a\nrest", at: Cursor{2, 6}, limit: 3},
		{name: "truncated after the scan", content: "a\nre", at: Cursor{2, 6}},
		{name: "overwritten after the scan", content: "a\nr\nst", at: Cursor{2, 6}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := NewReader(tt.limit).Unterminated(openContent(t, tt.content), tt.at)
			if err != nil || string(got) != tt.want || (got == nil) != (tt.want == "") {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
	if got, err := NewReader(0).Unterminated(closedFile(t), Cursor{0, 4}); err == nil {
		t.Errorf("closed file: got %q, want an error", got)
	}
}

func TestDefaultMaxLine(t *testing.T) {
	for _, n := range []int{0, -1} {
		if got := NewReader(n).maxLine; got != DefaultMaxLine {
			t.Errorf("NewReader(%d).maxLine = %d, want %d", n, got, DefaultMaxLine)
		}
	}
}

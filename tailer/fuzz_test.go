package tailer

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

// FuzzLines reads random bytes in random pieces and compares the lines with the lines
// of bytes.Split.
func FuzzLines(f *testing.F) {
	path := writeFile(f, "")
	f.Add([]byte("a\nb\n\nlonger line\nrest"), uint16(3), uint16(9), uint8(5))
	f.Add([]byte("\n\n\n"), uint16(1), uint16(2), uint8(0))
	f.Add([]byte("\r\n\x00\n\xff\n"), uint16(0), uint16(4), uint8(1))
	f.Add([]byte("12345678\n1234567\n"), uint16(8), uint16(9), uint8(7))
	f.Fuzz(func(t *testing.T, content []byte, cut1, cut2 uint16, limit uint8) {
		noError(t, os.WriteFile(path, content, 0o600))
		file := openFile(t, path)
		all := int64(len(content))
		sizes := []int64{min(int64(cut1), all), min(int64(cut2), all), all}
		slices.Sort(sizes)
		maxLine := 1 + int(limit)
		want, end := splitLines(content, maxLine)

		for _, method := range readMethods {
			r := NewReader(maxLine)
			var lines []string
			var at Cursor
			for _, size := range sizes {
				to, err := readBy(t, method, r, file, size, at, collect(&lines))
				if err != nil || to.Offset < at.Offset || to.Scanned != size {
					t.Fatalf("%s: read from %v to %v, %v, want to %d", method, at, to, err, size)
				}
				at = to
			}
			if !slices.Equal(lines, want) || at.Offset != end {
				t.Fatalf("%s of %q: got %q up to %v, want %q up to %d", method, content, lines, at, want, end)
			}
			rest, err := r.Unterminated(file, at)
			if wantRest := content[end:]; err != nil || len(wantRest) <= maxLine && !bytes.Equal(rest, wantRest) {
				t.Fatalf("%s: got rest %q, %v, want %q", method, rest, err, wantRest)
			}
		}
	})
}

// splitLines returns the lines that a reader must deliver, and the offset after the
// last line.
func splitLines(content []byte, maxLine int) (lines []string, end int64) {
	parts := bytes.Split(content, []byte("\n"))
	for _, part := range parts[:len(parts)-1] {
		line := Line{Bytes: part, Start: end, End: end + int64(len(part)) + 1}
		if len(part) > maxLine {
			line.Bytes, line.TooLong = nil, true
		}
		lines = append(lines, formatLine(line))
		end = line.End
	}
	return lines, end
}

// FuzzCheck changes one byte of a file. Check must detect the change if a checksum
// covers the byte, and must accept growth.
func FuzzCheck(f *testing.F) {
	f.Add([]byte("a\nb\n"), uint16(4), uint16(1))
	f.Add(bytes.Repeat([]byte("0123456789abcde\n"), 200), uint16(3200), uint16(1500))
	f.Fuzz(func(t *testing.T, content []byte, read, flip uint16) {
		offset := min(int64(read), int64(len(content)))
		p := newFingerprint(t, string(content), offset)
		grown := append(slices.Clone(content), "more"...)
		checkVerdict(t, p, string(grown), Unchanged)
		i := int64(flip)
		if i >= int64(len(content)) {
			return
		}
		grown[i] ^= 1
		want := Unchanged
		if i < min(offset, headLen) || i < offset && i >= offset-lastLen {
			want = Replaced
		}
		checkVerdict(t, p, string(grown), want)
	})
}

package tailer

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

// FuzzLines reads random bytes in random pieces and compares with splitting them at the newlines.
func FuzzLines(f *testing.F) {
	name := write(f, nil)
	f.Add([]byte("a\nb\n\nlonger line\nrest"), uint16(3), uint16(9), uint8(5))
	f.Add([]byte("\n\n\n"), uint16(1), uint16(2), uint8(0))
	f.Add([]byte("\r\n\x00\n\xff\n"), uint16(0), uint16(4), uint8(1))
	f.Add([]byte("12345678\n1234567\n"), uint16(8), uint16(9), uint8(7))
	f.Fuzz(func(t *testing.T, content []byte, cut1, cut2 uint16, limit uint8) {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		file := open(t, name)
		sizes := []int64{min(int64(cut1), int64(len(content))), min(int64(cut2), int64(len(content))), int64(len(content))}
		slices.Sort(sizes)
		maxLine := 1 + int(limit)
		want, end := split(content, maxLine)

		for _, by := range readings {
			r := NewReader(maxLine)
			var lines []taken
			var at Cursor
			for _, size := range sizes {
				to, err, ok := by.read(r, file, size, at, into(&lines))
				skipUnsafe(t, ok)
				if err != nil || to.Offset < at.Offset || to.Scanned != size {
					t.Fatalf("%s: from %v up to %v of %d, %v", by.name, at, to, size, err)
				}
				at = to
			}
			if !slices.Equal(lines, want) || at.Offset != end {
				t.Fatalf("%s: %q\nread %v up to %v\nwant %v up to %d", by.name, content, lines, at, want, end)
			}
			rest, err := r.Unterminated(file, at)
			if wantRest := content[end:]; err != nil || len(wantRest) <= maxLine && !bytes.Equal(rest, wantRest) {
				t.Fatalf("%s: rest %q, %v; want %q", by.name, rest, err, wantRest)
			}
		}
	})
}

// split is what reading has to amount to.
func split(content []byte, maxLine int) (lines []taken, end int64) {
	parts := bytes.Split(content, []byte("\n"))
	for _, part := range parts[:len(parts)-1] {
		line := taken{Text: string(part), Start: end, End: end + int64(len(part)) + 1}
		if len(part) > maxLine {
			line.Text, line.TooLong = "", true
		}
		lines = append(lines, line)
		end = line.End
	}
	return lines, end
}

// FuzzCheck makes a mark and changes one byte: whatever is covered is noticed, and growth never is a change.
func FuzzCheck(f *testing.F) {
	f.Add([]byte("a\nb\n"), uint16(4), uint16(1))
	f.Add(bytes.Repeat([]byte("0123456789abcde\n"), 200), uint16(3200), uint16(1500))
	f.Fuzz(func(t *testing.T, content []byte, read, flip uint16) {
		offset := min(int64(read), int64(len(content)))
		m, err := NewFingerprint(bytes.NewReader(content), offset)
		if err != nil {
			t.Fatal(err)
		}
		grown := append(slices.Clone(content), "more"...)
		if v, err := m.Check(bytes.NewReader(grown), int64(len(grown))); v != Unchanged || err != nil {
			t.Fatalf("grown: %v, %v", v, err)
		}
		i := int64(flip)
		if i >= int64(len(content)) {
			return
		}
		grown[i] ^= 1
		want := Unchanged
		if i < min(offset, headLen) || i < offset && i >= offset-lastLen {
			want = Replaced
		}
		if v, err := m.Check(bytes.NewReader(grown), int64(len(grown))); v != want || err != nil {
			t.Fatalf("byte %d of %d changed: %v, %v; want %v", i, offset, v, err, want)
		}
	})
}

package tailer

import (
	"bytes"
	"os"
	"testing"
)

// session is like a transcript: lines of 2 KiB, and now and then one of 300 KiB.
func session(size int) []byte {
	short := append(bytes.Repeat([]byte("x"), 2<<10), '\n')
	long := append(bytes.Repeat([]byte("y"), 300<<10), '\n')
	var b []byte
	for i := 0; len(b) < size; i++ {
		if i%1000 == 999 {
			b = append(b, long...)
			continue
		}
		b = append(b, short...)
	}
	return b
}

func BenchmarkBlockReader(b *testing.B) {
	content := session(64 << 20)
	f := open(b, write(b, content))
	r := NewReader(0)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.scan(f, int64(len(content)), Cursor{}, func(Line) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDrain(b *testing.B) {
	content := session(LiveGrowth - 4<<10)
	f := open(b, write(b, content))
	r := NewReader(0)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, ok := r.readLive(f, int64(len(content)), Cursor{}); !ok {
			b.Skip("no safe name to open the file by")
		}
	}
}

// An append as the daemon meets it: open, check, read, mark, close.
func BenchmarkAppend(b *testing.B) {
	line := append(bytes.Repeat([]byte("x"), 2<<10), '\n')
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	w, err := root.OpenFile("x.jsonl", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = w.Close() }()

	r := NewReader(0)
	var at Cursor
	var mark Fingerprint
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Write(line); err != nil {
			b.Fatal(err)
		}
		f, err := Open(root, "x.jsonl")
		if err != nil {
			b.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			b.Fatal(err)
		}
		if v, err := mark.Check(f, info.Size()); v != Unchanged || err != nil {
			b.Fatal(v, err)
		}
		if at, err = r.Lines(f, info.Size(), at, func(Line) error { return nil }); err != nil {
			b.Fatal(err)
		}
		if mark, err = NewFingerprint(f, at.Offset); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if info, err := w.Stat(); err != nil || at.Offset != info.Size() {
		b.Fatalf("read up to %d, %v", at.Offset, err)
	}
}

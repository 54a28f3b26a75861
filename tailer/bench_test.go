package tailer

import (
	"os"
	"strings"
	"testing"
)

// transcript returns lines of 2 KiB, and one of 300 KiB among a thousand.
func transcript(size int) string {
	short := strings.Repeat("x", 2<<10) + "\n"
	long := strings.Repeat("y", 300<<10) + "\n"
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i%1000 == 999 {
			b.WriteString(long)
			continue
		}
		b.WriteString(short)
	}
	return b.String()
}

func BenchmarkScan(b *testing.B) {
	content := transcript(64 << 20)
	f, r := openContent(b, content), NewReader(0)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := r.scan(f, int64(len(content)), Cursor{}, ignore)
		noError(b, err)
	}
}

func BenchmarkReadLive(b *testing.B) {
	content := transcript(LiveGrowth - 4<<10)
	f, r := openContent(b, content), NewReader(0)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, ok := r.readLive(f, int64(len(content)), Cursor{}); !ok {
			b.Skip("open files cannot be reopened on this system")
		}
	}
}

// BenchmarkAppend measures one read by the daemon: open, check, read, take the
// fingerprint, close.
func BenchmarkAppend(b *testing.B) {
	line := strings.Repeat("x", 2<<10) + "\n"
	root, err := os.OpenRoot(b.TempDir())
	noError(b, err)
	defer func() { _ = root.Close() }()
	w, err := root.OpenFile("x.jsonl", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	noError(b, err)
	defer func() { _ = w.Close() }()

	r := NewReader(0)
	var at Cursor
	var fingerprint Fingerprint
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := w.WriteString(line)
		noError(b, err)
		f, _, err := Open(root, "x.jsonl")
		noError(b, err)
		at, fingerprint = readGrowth(b, f, r, at, fingerprint, ignore)
		noError(b, f.Close())
	}
	if info, err := w.Stat(); err != nil || at.Offset != info.Size() {
		b.Fatalf("read to %d, %v, want to the end", at.Offset, err)
	}
}

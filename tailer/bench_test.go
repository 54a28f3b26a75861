package tailer

import (
	"os"
	"strings"
	"testing"
)

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

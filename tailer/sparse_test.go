package tailer

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Holes of terabytes are not read. The data between and after them is.
func TestHolesAreNotRead(t *testing.T) {
	const apart = 1 << 40
	text := "one\ntwo"
	file, err := os.Create(filepath.Join(t.TempDir(), "sparse"))
	noError(t, err)
	defer func() { _ = file.Close() }()
	for i := range int64(3) {
		if _, err := file.WriteAt([]byte(text), i*apart); err != nil {
			t.Skip("no sparse files on this file system:", err)
		}
	}
	if runtime.GOOS == "windows" || nextData(file, 1<<30, 2*apart) == 1<<30 {
		t.Skip("the file system does not report holes")
	}
	count := &countingReader{ReaderAt: file}
	f := struct {
		io.ReaderAt
		io.Seeker
	}{count, file}
	size := int64(2*apart + len(text))
	var lines []string
	to, err := NewReader(100).scan(f, size, Cursor{}, collect(&lines))
	want := []string{"0-4 one", fmt.Sprintf("4-%d!", apart+4), fmt.Sprintf("%d-%d!", apart+4, 2*apart+4)}
	checkRead(t, lines, to, err, want, Cursor{Offset: 2*apart + 4, Scanned: size})
	if limit := 8 * blockSize; count.bytes > limit {
		t.Errorf("read %d bytes, want at most %d", count.bytes, limit)
	}
	if at := nextData(file, size+1, size+2); at != size+2 {
		t.Errorf("next data beyond the end: got %d, want %d", at, size+2)
	}
	if at := nextData(closedFile(t), 5, 9); at != 5 {
		t.Errorf("next data of an unreadable file: got %d, want 5", at)
	}
}

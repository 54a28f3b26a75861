package tailer

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
	type offsets struct {
		start, end int64
		tooLong    bool
	}
	var got []offsets
	cursor, err := NewReader(100).scan(f, size, Cursor{}, func(l Line) error {
		got = append(got, offsets{l.Start, l.End, l.TooLong})
		return nil
	})
	if want := (Cursor{Offset: 2*apart + 4, Scanned: size}); err != nil || cursor != want {
		t.Errorf("got cursor %+v, %v, want %+v", cursor, err, want)
	}
	want := []offsets{{0, 4, false}, {4, apart + 4, true}, {apart + 4, 2*apart + 4, true}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
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

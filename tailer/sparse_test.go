package tailer

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A countingFile counts the bytes that are read of it.
type countingFile struct {
	*os.File
	read int64
}

func (f *countingFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(b, off)
	f.read += int64(n)
	return n, err
}

// Terabytes that are not there are not read, and what is between and behind them is.
func TestHolesAreNotRead(t *testing.T) {
	const apart = 1 << 40
	text := "one\ntwo"
	path := filepath.Join(t.TempDir(), "sparse")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for i := range int64(3) {
		if _, err := file.WriteAt([]byte(text), i*apart); err != nil {
			t.Skipf("no sparse file can be had: %v", err)
		}
	}
	if runtime.GOOS == "windows" || nextData(file, 1<<30, 2*apart) == 1<<30 {
		t.Skip("nothing tells of holes here")
	}
	f, size := &countingFile{File: file}, int64(2*apart+len(text))
	type found struct {
		start, end int64
		tooLong    bool
	}
	var got []found
	cursor, err := NewReader(100).scan(f, size, Cursor{}, func(l Line) error {
		got = append(got, found{l.Start, l.End, l.TooLong})
		return nil
	})
	if err != nil || cursor != (Cursor{Offset: 2*apart + 4, Scanned: size}) {
		t.Errorf("it stands at %+v, %v", cursor, err)
	}
	want := []found{{0, 4, false}, {4, apart + 4, true}, {apart + 4, 2*apart + 4, true}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %v, want %v", got, want)
	}
	if f.read > 8*blockSize {
		t.Errorf("%d bytes were read", f.read)
	}
	if at := nextData(file, size+1, size+2); at != size+2 {
		t.Errorf("behind the end there is something at %d", at)
	}
	if at := nextData(errorsOnly{}, 5, 9); at != 5 {
		t.Errorf("where nobody can tell there is something at %d", at)
	}
}

// errorsOnly can be neither read nor searched.
type errorsOnly struct{}

func (errorsOnly) ReadAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }
func (errorsOnly) Seek(int64, int) (int64, error)    { return 0, errors.ErrUnsupported }

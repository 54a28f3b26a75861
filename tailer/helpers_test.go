package tailer

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

// timeout limits every wait. It is long because the machine may be busy.
const timeout = 2 * time.Minute

func TestMain(m *testing.M) { leaktest.Main(m) }

func noError(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// writeFile writes content to a file in a new directory and returns its path.
func writeFile(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	noError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// openFile opens a file until the end of the test.
func openFile(t testing.TB, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	noError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// openContent opens a new file with the given content.
func openContent(t testing.TB, content string) *os.File {
	t.Helper()
	return openFile(t, writeFile(t, content))
}

// closedFile returns a closed file: every operation fails.
func closedFile(t testing.TB) *os.File {
	t.Helper()
	f := openContent(t, "a\n")
	noError(t, f.Close())
	return f
}

func appendTo(t testing.TB, path, content string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	noError(t, err)
	_, err = f.WriteString(content)
	noError(t, err)
	noError(t, f.Close())
}

func ignore(Line) error { return nil }

// collect returns a function that appends every line to lines, formatted by formatLine.
func collect(lines *[]string) func(Line) error {
	return func(l Line) error {
		*lines = append(*lines, formatLine(l))
		return nil
	}
}

// formatLine returns "start-end text", or "start-end!" for a line that is too long.
func formatLine(l Line) string {
	separator := " "
	if l.TooLong {
		separator = "!"
	}
	return fmt.Sprintf("%d-%d%s%s", l.Start, l.End, separator, l.Bytes)
}

// checkRead compares the result of a successful read.
func checkRead(t *testing.T, lines []string, to Cursor, err error, want []string, wantTo Cursor) {
	t.Helper()
	if err != nil || !slices.Equal(lines, want) || to != wantTo {
		t.Fatalf("got lines %.500q, cursor %v, error %v\nwant lines %.500q, cursor %v", lines, to, err, want, wantTo)
	}
}

// readMethods are the values of method for readBy.
var readMethods = []string{"Lines", "bulk", "scan", "scan by 3 bytes", "scan by 64 bytes", "readLive"}

// readBy calls Lines, or a single reader behind it. It skips the test if nxadm/tail
// cannot be used on this system.
func readBy(
	t *testing.T, method string, r *Reader, f *os.File, size int64, from Cursor, fn func(Line) error,
) (Cursor, error) {
	t.Helper()
	switch method {
	case "bulk":
		r.bulk = true
	case "scan by 3 bytes":
		r.step = 3
		return r.scan(f, size, from.within(size), fn)
	case "scan by 64 bytes":
		r.step = 64
		return r.scan(f, size, from.within(size), fn)
	case "scan":
		return r.scan(f, size, from.within(size), fn)
	case "readLive":
		lines, to, ok := r.readLive(f, size, from.within(size))
		requireLive(t, ok)
		return deliver(lines, to, fn)
	}
	return r.Lines(f, size, from, fn)
}

// requireLive skips the test if readLive has failed. On Linux, where it always works,
// the test fails.
func requireLive(t *testing.T, ok bool) {
	t.Helper()
	switch {
	case !ok && runtime.GOOS == "linux":
		t.Fatal("readLive failed")
	case !ok:
		t.Skip("open files cannot be reopened on this system")
	}
}

// A countingReader counts the bytes read from it.
type countingReader struct {
	io.ReaderAt
	bytes int
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.bytes += n
	return n, err
}

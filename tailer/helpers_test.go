package tailer

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/leaktest"
)

// patience is the limit for anything that a test waits for. It is long, for busy
// machines: only a test that fails waits for its end.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	leaktest.Main(m)
}

// write makes a file of its own with that content and returns its name.
func write(t testing.TB, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// open opens a file for the length of the test.
func open(t testing.TB, name string) *os.File {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// appendTo appends to a file.
func appendTo(t testing.TB, name string, content []byte) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// A taken is a Line that may be kept and compared.
type taken struct {
	Text       string
	Start, End int64
	TooLong    bool
}

// into returns a function that collects lines.
func into(lines *[]taken) func(Line) error {
	return func(l Line) error {
		*lines = append(*lines, taken{string(l.Bytes), l.Start, l.End, l.TooLong})
		return nil
	}
}

// descriptors returns how many file descriptors this process has open; it skips the test where that cannot be told.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc/self/fd on", runtime.GOOS)
	}
	return len(list)
}

package transcripttest

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"
)

// A Dir is a directory whose files a test changes. Names of files are relative to it,
// with slashes. Its methods fail the test on an error.
type Dir struct {
	testing.TB
	Root string
}

// NewDir returns an empty directory.
func NewDir(t testing.TB) Dir { return Dir{t, t.TempDir()} }

// Path returns the path of a file.
func (d Dir) Path(rel string) string { return filepath.Join(d.Root, filepath.FromSlash(rel)) }

// Must fails the test if err is not nil.
func (d Dir) Must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// Write replaces the content of a file in place.
func (d Dir) Write(rel, content string) {
	d.Helper()
	d.Must(writeFile(d.Path(rel), content, os.O_TRUNC))
}

// Append appends to a file.
func (d Dir) Append(rel, content string) {
	d.Helper()
	d.Must(AppendFile(d.Path(rel), content))
}

// AppendFile appends to a file, and creates it and its directory if necessary.
func AppendFile(name, content string) error { return writeFile(name, content, os.O_APPEND) }

func writeFile(name, content string, flag int) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|flag, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

// WriteSparse creates a file that begins with size bytes of NUL, which occupy no disk
// space, followed by a text. It skips the test where there are no such files.
func (d Dir) WriteSparse(rel string, size int64, end string) {
	d.Helper()
	d.Write(rel, "")
	err := os.Truncate(d.Path(rel), size)
	if err == nil {
		err = AppendFile(d.Path(rel), end)
	}
	if err != nil {
		d.Skipf("sparse files are not supported: %v", err)
	}
}

// Rename moves a file, over another one if there is one.
func (d Dir) Rename(from, to string) {
	d.Helper()
	d.Must(os.MkdirAll(d.Path(path.Dir(to)), 0o700))
	d.Must(os.Rename(d.Path(from), d.Path(to)))
}

// Replace gives a name to a new file with other content.
func (d Dir) Replace(rel, content string) {
	d.Helper()
	d.Write("replacement", content)
	d.Rename("replacement", rel)
}

// Link adds a hard link, or skips the test where there are none.
func (d Dir) Link(from, to string) {
	d.Helper()
	d.Must(os.MkdirAll(d.Path(path.Dir(to)), 0o700))
	if err := os.Link(d.Path(from), d.Path(to)); err != nil {
		d.Skipf("hard links are not supported: %v", err)
	}
}

// Remove deletes a file or a directory, if there is one.
func (d Dir) Remove(rel string) {
	d.Helper()
	d.Must(os.RemoveAll(d.Path(rel)))
}

// Stat returns the metadata of a file.
func (d Dir) Stat(rel string) fs.FileInfo {
	d.Helper()
	info, err := os.Stat(d.Path(rel))
	d.Must(err)
	return info
}

// Touch sets the modification time of a file.
func (d Dir) Touch(rel string, to time.Time) {
	d.Helper()
	d.Must(os.Chtimes(d.Path(rel), to, to))
}

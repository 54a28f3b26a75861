package follow

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/ccwatchd/ccwatchd/watcher"
)

// maxKept limits the files that are kept open.
const maxKept = 32

// keepOpen keeps a file open for its next read, since most lines are written to files
// that were written just before: opening a file below its root takes longer than
// reading a line. On Windows an open file could not be replaced.
func (f *Follower) keepOpen(name watcher.File, file *openedFile) error {
	if !f.live || len(f.kept) >= maxKept || runtime.GOOS == "windows" {
		return file.Close()
	}
	f.kept[name] = file
	return nil
}

// takeKept returns the file kept open at a name, with its present description, or nil.
// The name must still lead to the same file with the same permissions: otherwise the
// file is closed, and must be opened again, with all checks.
func (f *Follower) takeKept(name watcher.File) *openedFile {
	file := f.kept[name]
	if file == nil {
		return nil
	}
	delete(f.kept, name)
	info, err := os.Lstat(filepath.Join(f.sources[name.Root].path, name.Rel))
	if err != nil || !os.SameFile(info, file.info) || info.Mode() != file.info.Mode() {
		_ = file.Close() // only read
		return nil
	}
	return &openedFile{file.File, info}
}

// sizeOf returns the size of a file, or 0 if it is unknown.
func (f *Follower) sizeOf(roots roots, name watcher.File) int64 {
	if file := f.kept[name]; file != nil {
		if info, err := file.Stat(); err == nil {
			return info.Size()
		}
	}
	return roots.size(name)
}

// CloseFiles closes the files that are kept open. It must be called at the end, and
// every few seconds, so that a file is soon opened again with all checks: the
// directories above it may have become inaccessible.
func (f *Follower) CloseFiles() {
	for _, file := range f.kept {
		_ = file.Close() // only read
	}
	clear(f.kept)
}

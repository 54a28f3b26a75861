package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

var errBadSnapshot = errors.New("snapshot is damaged")

// Commit replaces the snapshot with state, which must include every frame before the
// journal started by Rotate, and removes the journals that it includes. After an error
// the previous snapshot and all journals since remain valid. A journal started after a
// failed journal counts only after the next Rotate and Commit.
//
// A journal that cannot be removed is no error: Load ignores it, and the next Commit
// tries again. Windows, for example, removes no file that another process has open.
func (s *Store) Commit(generation uint64, state []byte) error {
	h := header{format: s.format, generation: generation}
	head := h.bytes(snapshotMagic)
	sum := checksum(checksum(0, head), state)
	written, err := s.replace(snapshotName, head, state, binary.LittleEndian.AppendUint32(nil, sum))
	if written != nil {
		s.mu.Lock()
		s.snapshot = written
		s.mu.Unlock()
	}
	if err != nil {
		return fmt.Errorf("write snapshot: %w", err)
	}
	s.removeJournals(generation)
	return nil
}

// replace writes the parts to a temporary file and renames it, so that the file is
// complete at every moment. If the rename succeeded, it returns the new file, even
// together with an error.
func (s *Store) replace(name string, parts ...[]byte) (written fs.FileInfo, err error) {
	f, err := os.CreateTemp(s.dir, snapshotName+"-*")
	if err != nil {
		return nil, err
	}
	written, err = writeAndClose(f, parts)
	if err == nil {
		err = os.Rename(f.Name(), s.path(name))
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()))
	}
	return written, syncDir(s.dir)
}

// writeAndClose writes the parts to a new file, flushes them to the disk and closes it.
func writeAndClose(f *os.File, parts [][]byte) (fs.FileInfo, error) {
	for _, p := range parts {
		if _, err := f.Write(p); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	info, err := f.Stat()
	return info, errors.Join(err, f.Sync(), f.Close())
}

// syncDir flushes renames in a directory to the disk. Windows needs no such call.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// journals returns the generations of the existing journals, in order, and the names
// with another number, which Rotate does not give.
func (s *Store) journals() (found []uint64, strays []string, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read state directory: %w", err)
	}
	for _, e := range entries {
		n, ok := strings.CutPrefix(e.Name(), journalName)
		if !ok || n == "" || strings.Trim(n, "0123456789") != "" {
			continue
		}
		if g, _ := strconv.ParseUint(n, 10, 64); g < math.MaxUint64 && e.Name() == journalFile(g) {
			found = append(found, g)
		} else {
			strays = append(strays, e.Name())
		}
	}
	slices.Sort(found)
	return found, strays, nil
}

// removeJournals removes the journals before a generation, as far as that is possible.
func (s *Store) removeJournals(before uint64) {
	all, _, _ := s.journals()
	for _, g := range all {
		if g < before {
			_ = os.Remove(s.path(journalFile(g)))
		}
	}
}

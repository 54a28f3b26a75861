package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A VersionError says that a part of the directory was written by a newer version. All
// of it is left as it is.
type VersionError struct{ Found uint32 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("state was written by a newer version (format %d, this one knows %d): install that version, or move the state directory away to count anew", e.Found, Version)
}

// checkVersion returns a *VersionError for what a newer version wrote, and
// errOlder for what an older one did: nothing reads that any more.
func checkVersion(v uint32) error {
	switch {
	case v > Version:
		return &VersionError{Found: v}
	case v < Version:
		return fmt.Errorf("%w (format %d, this one reads %d)", errOlder, v, Version)
	}
	return nil
}

// refuseNewer returns a *VersionError if the snapshot or any journal in a directory is
// from a newer version, whatever the others are: before anything is changed, since a
// part that seems to be damaged may be fine to that version. So every version keeps the
// magic and the version at the beginning of its files, and the checksums of a snapshot
// and of the header of a journal where they are.
//
// What cannot be read is left to Load.
func refuseNewer(dir string) error {
	if v := snapshotVersion(filepath.Join(dir, snapshotName)); v > Version {
		return &VersionError{Found: v}
	}
	generations, err := journalsIn(dir)
	if err != nil {
		return nil //nolint:nilerr // as the directory may not be there yet
	}
	for _, g := range generations {
		if v := journalVersion(journalIn(dir, g)); v > Version {
			return &VersionError{Found: v}
		}
	}
	return nil
}

// snapshotVersion returns the version of a snapshot, 0 if it is damaged. It reads the
// whole file only if that seems to be a newer one.
func snapshotVersion(path string) uint32 {
	head := beginning(path, len(snapshotMagic)+4)
	if !bytes.HasPrefix(head, []byte(snapshotMagic)) {
		return 0
	}
	v := binary.LittleEndian.Uint32(head[len(snapshotMagic):])
	if v <= Version {
		return v
	}
	b, err := os.ReadFile(path) //nolint:gosec // in our own directory
	if err != nil || len(b) < snapshotHeader+4 || checksum(b[:len(b)-4]) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return 0
	}
	return v
}

// journalVersion returns the version of a journal, 0 if its header is damaged.
func journalVersion(path string) uint32 {
	head := beginning(path, journalHeader)
	if !bytes.HasPrefix(head, []byte(journalMagic)) ||
		checksum(head[:journalHeader-4]) != binary.LittleEndian.Uint32(head[journalHeader-4:]) {
		return 0
	}
	return binary.LittleEndian.Uint32(head[len(journalMagic):])
}

// beginning returns the first n bytes of a file, nil if there are fewer.
func beginning(path string, n int) []byte {
	f, err := os.Open(path) //nolint:gosec // in our own directory
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // only read
	b := make([]byte, n)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil
	}
	return b
}

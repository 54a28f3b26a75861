package checkpoint

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// refuseNewer returns a *VersionError if the snapshot or any journal in a directory is
// from a newer version that this one cannot replace, even if other parts are damaged:
// before anything is changed, since a part that seems to be damaged may be fine to that
// version. A journal without steps is not read, so its version does not matter.
//
// What cannot be read is left to Load.
func refuseNewer(dir string) error {
	if _, err := headerOf(filepath.Join(dir, snapshotName), snapshotMagic); refused(err) {
		return err
	}
	generations, err := journalsIn(dir)
	if err != nil {
		return nil //nolint:nilerr // as the directory may not be there yet
	}
	for _, g := range generations {
		if steps, err := headerOf(journalIn(dir, g), journalMagic); refused(err) && steps {
			return err
		}
	}
	return nil
}

// headerOf checks the header of a file, see parseHeader, and reports whether there is
// something behind it.
func headerOf(path, magic string) (more bool, err error) {
	f, err := os.Open(path) //nolint:gosec // in our own directory
	if err != nil {
		return false, err //nolint:wrapcheck // only its kind matters
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, int64(len(magic))+frameHeader+largestHeader+1))
	_, rest, invalid := parseHeader(b, magic)
	return len(rest) > 0, errors.Join(invalid, err)
}

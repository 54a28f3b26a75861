package checkpoint

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// refuseNewer returns a *VersionError if the snapshot or any journal in a directory
// requires a newer version, even if other parts are damaged. It runs before anything is
// changed, since a part that seems damaged may be valid to the newer version. A journal
// without steps is never read, so its version does not matter.
//
// Read errors are left to Load.
func refuseNewer(dir string) error {
	if _, err := headerOf(filepath.Join(dir, snapshotName), snapshotMagic); refused(err) {
		return err
	}
	generations, err := journalsIn(dir)
	if err != nil {
		return nil //nolint:nilerr // the directory may not exist yet
	}
	for _, g := range generations {
		if steps, err := headerOf(journalIn(dir, g), journalMagic); refused(err) && steps {
			return err
		}
	}
	return nil
}

// headerOf checks the header of a file, see parseHeader, and reports whether more bytes
// follow it.
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

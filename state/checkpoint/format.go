package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ccwatchd/ccwatchd/table"
)

// Format is the format that this version writes: the layout of snapshots and frames,
// and the meaning of their content. A version reads all formats up to its own, and no
// newer format. docs/design/state.md describes what raises it.
const Format uint32 = 3

// Every file begins with a magic, the number of its format and the checksum of both,
// which no format changes: every version can determine whether it can read a file.
const (
	snapshotMagic = "ccwatchd tables"
	journalMagic  = "ccwatchd frames"
	formatLength  = 4 + 4
)

// The magics before format 1. Only development versions wrote them.
const (
	oldSnapshotMagic = "ccwatchd state "
	oldJournalMagic  = "ccwatchd steps "
)

var (
	errDevelopment = errors.New("written by a development version")
	errContent     = errors.New("written by a development version of that format")
)

// A VersionError means that this version cannot read the state in a directory. The
// directory is unchanged.
type VersionError struct {
	Dir string
	Err error // the part that this version cannot read
}

func (e *VersionError) Error() string {
	do := "install the newer version again, or remove"
	switch {
	case errors.Is(e.Err, errDevelopment):
		do = "remove"
	case errors.Is(e.Err, errContent):
		do = "install that version again, or remove"
	}
	return fmt.Sprintf("cannot read state: %v: %s %s (sessions are counted again if their transcripts still exist)", e.Err, do, e.Dir)
}

func (e *VersionError) Unwrap() error { return e.Err }

// isVersion reports whether an error means that this version cannot read a file, rather
// than that the file is damaged.
func isVersion(err error) bool {
	return errors.Is(err, errDevelopment) || errors.Is(err, errContent) || errors.Is(err, table.ErrUnsupported)
}

// explain returns the error of decoding a snapshot or frame whose checksum is right. In
// an older format, content that this version cannot decode is neither damaged nor
// newer: a development version wrote it before that format was complete.
func (s *Store) explain(format uint32, err error) error {
	if err == nil || format == s.format {
		return err
	}
	reason := strings.TrimSuffix(err.Error(), ": "+table.ErrUnsupported.Error())
	return fmt.Errorf("format %d: %w: %s", format, errContent, reason)
}

// refuse returns a *VersionError if the snapshot or any journal has a format above the
// Store's format or before format 1, even if other parts are damaged. It runs before
// anything is changed, since a part that seems damaged may be valid to another version.
//
// Read errors are left to Load.
func (s *Store) refuse() error {
	err := checkFormat(s.path(snapshotName), snapshotMagic, s.format)
	journals, _, _ := s.journals() // the directory may not exist yet
	for _, g := range journals {
		if !isVersion(err) {
			err = checkFormat(s.path(journalFile(g)), journalMagic, s.format)
		}
	}
	if isVersion(err) {
		return &VersionError{Dir: s.dir, Err: err}
	}
	return nil
}

// checkFormat returns the error of parseFormat for a file.
func checkFormat(path, magic string, newest uint32) error {
	if err := checkRegular(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err //nolint:wrapcheck // only its kind matters
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, int64(len(magic)+formatLength)))
	if err != nil {
		return err //nolint:wrapcheck // only its kind matters
	}
	_, _, err = parseFormat(b, magic, newest)
	return err
}

// parseFormat returns the format of a file and the rest of the file. isVersion is true
// for its error if the format is above newest or before format 1. Otherwise the error
// is errTorn if the file ends too early, and errDamaged if it is invalid.
func parseFormat(file []byte, magic string, newest uint32) (format uint32, rest []byte, err error) {
	if bytes.HasPrefix(file, []byte(oldSnapshotMagic)) || bytes.HasPrefix(file, []byte(oldJournalMagic)) {
		return 0, nil, errDevelopment
	}
	if known := file[:min(len(file), len(magic))]; !bytes.HasPrefix([]byte(magic), known) {
		return 0, nil, errDamaged
	}
	if len(file) < len(magic)+formatLength {
		return 0, nil, errTorn
	}
	format = binary.LittleEndian.Uint32(file[len(magic):])
	sum := binary.LittleEndian.Uint32(file[len(magic)+4:])
	switch {
	case format == 0 || sum != checksum(0, file[:len(magic)+4]):
		return 0, nil, errDamaged
	case format > newest:
		return 0, nil, fmt.Errorf("format %d, this version reads up to %d: %w", format, newest, table.ErrUnsupported)
	}
	return format, file[len(magic)+formatLength:], nil
}

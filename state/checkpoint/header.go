package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// Version is the format that this version writes. Every change of the written state
// raises it, even a new metric family, so that a version recognizes a journal that it
// must not append to. Raising it adds a directory to testdata/formats.
const Version uint32 = 10

const (
	// oldestReader is the oldest version that counts correctly after reading a snapshot
	// of this one, preserving the fields unknown to it. A change that older versions
	// cannot ignore raises it.
	oldestReader uint32 = 7
	// oldestReplayer is the same for a journal. It is also raised if an existing
	// step counts anything in addition, which older versions would miss.
	oldestReplayer uint32 = 10
)

// The first bytes of snapshots and journals, followed by a header. They and the first
// two fields of the header never change, so every version can determine
// whether it can read a file.
const (
	snapshotMagic = "ccwatchd state 2"
	journalMagic  = "ccwatchd steps 2"
)

// largestHeader is the maximum length of a header, in bytes.
const largestHeader = 1 << 12

// A VersionError means that a newer version wrote the directory and this version cannot
// read it. The directory is unchanged.
type VersionError struct {
	Found   uint32 // format of the file
	Oldest  uint32 // format of the oldest version that can read it
	Journal bool   // the file is a journal: the newer version did not stop cleanly
}

func (e *VersionError) Error() string {
	what, do := "state", "install the newer version again"
	if e.Journal {
		what, do = "journal", "start the newer version once more and stop it"
	}
	return fmt.Sprintf("%s was written by a newer version (format %d, readable from format %d on, this one is %d): %s, or move the state directory away to start from zero",
		what, e.Found, e.Oldest, Version, do)
}

// A header starts every snapshot and journal.
type header struct {
	version, oldest uint32
	// generation is the number of the journal. In a snapshot it is the number of the
	// first journal that the snapshot does not include.
	generation uint64
	// follows is the journal that contains every step up to this one. It is 0 after a
	// start or a failure, when only a snapshot contains them.
	follows uint64
	// length is the length of that journal, in bytes. A dying machine may lose complete
	// steps from its end, which no checksum would detect.
	length int64

	size int // bytes from the start of the file to the end of the header
}

// code visits the header. Unknown fields can be ignored: a file with a field that this
// version must not ignore is not readable by it.
func (h *header) code(c *codec.Coder) {
	codec.Uint(c, 1, &h.version)
	codec.Uint(c, 2, &h.oldest)
	codec.Uint(c, 3, &h.generation)
	codec.Uint(c, 4, &h.follows)
	codec.Int(c, 5, &h.length)
}

// bytes returns the start of a file: the magic and the framed header.
func (h *header) bytes(magic string) []byte {
	c := codec.NewWriter(nil)
	h.code(c)
	return append(appendFrameHeader([]byte(magic), c.Bytes()), c.Bytes()...)
}

// parseHeader splits a file into its header and the rest. The error is errTorn if the
// file ends within the header, errDamaged if the header is invalid, and a *VersionError
// if this version cannot read the rest.
func parseHeader(file []byte, magic string) (h header, rest []byte, err error) {
	if known := file[:min(len(file), len(magic))]; !bytes.HasPrefix([]byte(magic), known) {
		return header{}, nil, errDamaged
	} else if len(known) < len(magic) {
		return header{}, nil, errTorn
	}
	b, rest, err := nextFrame(file[len(magic):], largestHeader)
	if err != nil {
		return header{}, nil, err
	}
	h.size = len(file) - len(rest)
	c := codec.NewReader(b)
	if h.code(c); c.Done() != nil || h.oldest == 0 {
		return header{}, nil, errDamaged
	}
	if h.oldest > Version {
		return h, rest, &VersionError{Found: h.version, Oldest: h.oldest, Journal: magic == journalMagic}
	}
	return h, rest, nil
}

// nextFrame splits b into the content of its first frame, of at most the given size,
// and the rest. The error is errTorn if b ends within the frame, and errDamaged if the
// frame is invalid.
func nextFrame(b []byte, largest uint32) (content, rest []byte, err error) {
	if len(b) < frameHeader {
		return nil, nil, errTorn
	}
	n, sum := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if checksum(b[:8]) != binary.LittleEndian.Uint32(b[8:]) || n == 0 || n > largest {
		return nil, nil, errDamaged
	}
	b = b[frameHeader:]
	if uint64(len(b)) < uint64(n) {
		return nil, nil, errTorn
	}
	if checksum(b[:n]) != sum {
		return nil, nil, errDamaged
	}
	return b[:n], b[n:], nil
}

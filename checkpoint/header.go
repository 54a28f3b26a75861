package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/ccwatchd/ccwatchd/codec"
)

// Version is the format of what this version writes. It is raised by whatever changes
// what the owner of the state writes into it, be it a new metric family. Raising it
// lets the next version recognize a journal that it must not append to, and adds a
// directory to testdata/formats.
const Version uint32 = 7

const (
	// oldestReader is the oldest version that counts correctly from a snapshot of this
	// one: it keeps what it does not know. It is raised by a change that older versions
	// cannot ignore.
	oldestReader uint32 = 7
	// oldestReplayer is the same of a journal. It is also raised if an existing step
	// counts something more, which older versions would miss.
	oldestReplayer uint32 = 7
)

// The first bytes of snapshots and journals. A header follows. No version changes
// them, nor the first two fields of a header, so every version can tell whether it can
// read a file.
const (
	snapshotMagic = "ccwatchd state 2"
	journalMagic  = "ccwatchd steps 2"
)

// largestHeader is how long a header may be, in bytes.
const largestHeader = 1 << 12

// A VersionError says that the directory was written by a newer version, and cannot be
// read by this one. It is left as it is.
type VersionError struct {
	Found   uint32 // format of the file
	Oldest  uint32 // format of the oldest version that can read it
	Journal bool   // the file is a journal, so that version did not stop properly
}

func (e *VersionError) Error() string {
	what, do := "state", "install a newer version again"
	if e.Journal {
		what, do = "journal", "start that version once more and stop it"
	}
	return fmt.Sprintf("%s was written by a newer version (format %d, readable from format %d on, this one is %d): %s, or move the state directory away to start from zero",
		what, e.Found, e.Oldest, Version, do)
}

// A header is what a snapshot or a journal begins with.
type header struct {
	version, oldest uint32
	// generation numbers a journal. In a snapshot it is that of the first journal that
	// is not in it.
	generation uint64
	// follows is the journal that held every step up to this one, 0 when there
	// is none: after a start, or after a failure, only a snapshot does.
	follows uint64
	// length is how many bytes that one had. A machine that dies may take an end
	// of it that is whole steps, which nothing else would detect.
	length int64

	size int // of the beginning of the file up to the end of the header, in bytes
}

// code visits the header. Fields that this version does not know may be ignored, or
// else it would not be one that can read the file.
func (h *header) code(c *codec.Coder) {
	codec.Uint(c, 1, &h.version)
	codec.Uint(c, 2, &h.oldest)
	codec.Uint(c, 3, &h.generation)
	codec.Uint(c, 4, &h.follows)
	codec.Int(c, 5, &h.length)
}

// bytes returns the beginning of a file: the magic, and the header in a frame.
func (h *header) bytes(magic string) []byte {
	c := codec.NewWriter(nil)
	h.code(c)
	return append(appendFrameHeader([]byte(magic), c.Bytes()), c.Bytes()...)
}

// parseHeader takes the header off a file. The error is errTorn where the file ends
// within it, errDamaged where it is none, and a *VersionError where this version cannot
// read what follows.
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

// nextFrame takes a frame of at most the given size off the beginning of b. The error
// is errTorn where b ends within it, and errDamaged where it is none.
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

package checkpoint

import (
	"encoding/binary"

	"github.com/ccwatchd/ccwatchd/table"
)

// largestHeader is the maximum length of a header, in bytes.
const largestHeader = 1 << 12

// A header starts every snapshot and journal.
type header struct {
	format uint32
	// generation is the number of the journal. In a snapshot it is the number of the
	// first journal that the snapshot does not include.
	generation uint64
	// follows is the journal that contains every frame up to this one. It is 0 after a
	// start or a failure, when only a snapshot contains them.
	follows uint64
	// length is the length of the followed journal, in bytes. A dying machine may lose
	// complete frames from its end, which no checksum would detect.
	length int64

	size int // bytes from the start of the file to the end of the header
}

// code visits the fields after the format.
func (h *header) code(c *table.Coder) {
	table.Uint(c, 1, &h.generation)
	table.Uint(c, 2, &h.follows)
	table.Int(c, 3, &h.length)
}

// bytes returns the start of a file: the magic, the format and the framed header.
func (h *header) bytes(magic string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(magic), h.format)
	b = binary.LittleEndian.AppendUint32(b, checksum(0, b))
	c := table.NewWriter(nil)
	h.code(c)
	return append(appendFrameHeader(b, c.Bytes()), c.Bytes()...)
}

// parseHeader splits a file into its header and the rest. It returns errors of
// parseFormat, errTorn if the file ends within the header, and errDamaged if the header
// is invalid.
func parseHeader(file []byte, magic string, newest uint32) (h header, rest []byte, err error) {
	format, rest, err := parseFormat(file, magic, newest)
	if err != nil {
		return header{}, nil, err
	}
	b, rest, err := nextFrame(rest, largestHeader)
	if err != nil {
		return header{}, nil, err
	}
	h.format, h.size = format, len(file)-len(rest)
	c := table.NewReader(b)
	if h.code(c); c.Done() != nil {
		return header{}, nil, errDamaged
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
	if checksum(0, b[:8]) != binary.LittleEndian.Uint32(b[8:]) || n == 0 || n > largest {
		return nil, nil, errDamaged
	}
	b = b[frameHeader:]
	if uint64(len(b)) < uint64(n) {
		return nil, nil, errTorn
	}
	if checksum(0, b[:n]) != sum {
		return nil, nil, errDamaged
	}
	return b[:n], b[n:], nil
}

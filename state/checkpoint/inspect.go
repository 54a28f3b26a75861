package checkpoint

import (
	"encoding/binary"
	"fmt"
)

// A File is a snapshot or a journal, for people who examine a state.
type File struct {
	Name   string
	Format uint32
	// Generation, Follows and Length are in the header, see package checkpoint.
	Generation, Follows uint64
	Length              int64
	Contents            [][]byte // the state of a snapshot, or the frames of a journal
	Unread              int      // number of bytes after an error
	Err                 error    // why the rest cannot be read
}

// Inspect reads the snapshot and the journals in a directory. It neither changes nor
// locks anything, so a daemon may use the directory.
func Inspect(dir string) (files []File, err error) {
	s := &Store{dir: dir, format: Format}
	journals, _, err := s.journals()
	if err != nil {
		return nil, err
	}
	files = append(files, s.inspect(snapshotName, snapshotMagic))
	for _, g := range journals {
		files = append(files, s.inspect(journalFile(g), journalMagic))
	}
	return files, nil
}

func (s *Store) inspect(name, magic string) File {
	f := File{Name: name}
	b, err := s.readFile(name)
	if err != nil {
		f.Err = fmt.Errorf("read file: %w", err)
		return f
	}
	h, rest, err := parseHeader(b, magic, s.format)
	f.Format, f.Generation, f.Follows, f.Length = h.format, h.generation, h.follows, h.length
	switch {
	case err != nil:
		rest = b
	case magic == snapshotMagic:
		if state, ok := checkedState(b, rest); ok {
			f.Contents, rest = [][]byte{state}, nil
		} else {
			err = errBadSnapshot
		}
	default:
		err = replay(rest, func(frame []byte) error {
			f.Contents, rest = append(f.Contents, frame), rest[frameHeader+len(frame):]
			return nil
		})
	}
	f.Unread, f.Err = len(rest), err
	return f
}

// checkedState returns the state in a snapshot file, of which rest is what follows the
// header, and whether its checksum is right.
func checkedState(file, rest []byte) (state []byte, ok bool) {
	const size = 4
	if len(rest) < size {
		return nil, false
	}
	return rest[:len(rest)-size], checksum(0, file[:len(file)-size]) == binary.LittleEndian.Uint32(file[len(file)-size:])
}

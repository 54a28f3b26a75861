package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
)

// A journal is a header followed by frames. A frame is the length of its content, the
// checksum of the content, the checksum of these two numbers, and the content. All
// numbers are little-endian.
const (
	frameHeader     = 4 + 4 + 4
	largestFrame    = 1 << 30
	journalFileMode = 0o600
)

var (
	// ErrNoJournal is returned by Append if no journal is open: none was started yet,
	// or writing to the last journal failed. The next Rotate and Commit repair that.
	ErrNoJournal = errors.New("no journal is open")

	errTorn    = errors.New("journal ends within a frame")
	errDamaged = errors.New("journal is damaged")
	errStray   = errors.New("journal does not continue the state")
)

// checksum continues a checksum, which is 0 at the beginning.
func checksum(sum uint32, b []byte) uint32 {
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
}

// Append writes one frame to the journal. After an error it refuses frames until the
// next Rotate, since the journal may end with a partial frame.
func (s *Store) Append(frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal == nil {
		return ErrNoJournal
	}
	if len(frame) == 0 || len(frame) > largestFrame {
		return fmt.Errorf("append to journal: frame of %d bytes", len(frame))
	}
	s.buf = append(appendFrameHeader(s.buf[:0], frame), frame...)
	n, err := s.journal.Write(s.buf)
	s.length += int64(n)
	if cap(s.buf) > 1<<20 {
		s.buf = nil
	}
	if err != nil {
		return errors.Join(fmt.Errorf("append to journal: %w", err), s.closeJournal())
	}
	s.unsynced = true
	return nil
}

func appendFrameHeader(b, content []byte) []byte {
	at := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(content)))
	b = binary.LittleEndian.AppendUint32(b, checksum(0, content))
	return binary.LittleEndian.AppendUint32(b, checksum(0, b[at:]))
}

// Sync flushes appended frames to the disk, so that they survive the death of the
// machine. A concurrent Append does not wait for it.
func (s *Store) Sync() error {
	s.mu.Lock()
	f := s.journal
	if f == nil || !s.unsynced {
		s.mu.Unlock()
		return nil
	}
	s.unsynced = false
	s.mu.Unlock()
	// A journal that was closed in the meantime was synced by Rotate.
	err := f.Sync()
	if err == nil || errors.Is(err, os.ErrClosed) {
		return nil
	}
	s.mu.Lock()
	s.unsynced = s.unsynced || s.journal == f
	s.mu.Unlock()
	return fmt.Errorf("sync journal: %w", err)
}

// Resume continues the journal that Load replayed last, so that frames can be appended
// without writing a snapshot first. The caller must not have changed the state since
// Load. Resume returns false if that is impossible: no snapshot exists, the journal is
// missing or ends with a partial frame, or any of the files has an older format.
func (s *Store) Resume() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.resumable || s.journal != nil {
		return false
	}
	f, err := os.OpenFile(s.path(journalFile(s.generation)), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return false
	}
	s.journal, s.unsynced = f, true // its writer may have died before a Sync
	if s.checkJournal() != nil {
		_ = s.closeJournal()
	}
	return s.journal != nil
}

// Rotate starts a new journal for the frames after a snapshot of the current state, and
// returns its generation for Commit. A journal without frames is reused, so that
// repeated attempts leave only one file. After an error the previous journal continues.
func (s *Store) Rotate() (generation uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := header{format: s.format, generation: s.generation + 1}
	if s.journal != nil {
		if s.length == s.headerLength {
			return s.generation, nil
		}
		h.follows, h.length = s.generation, s.length
		// Regardless of s.unsynced, which a concurrent Sync may have cleared early. If
		// this fails and then the machine dies, the recorded length reveals the gap.
		_ = s.journal.Sync()
	}
	f, err := os.OpenFile(s.path(journalFile(h.generation)), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, journalFileMode)
	if err != nil {
		return 0, fmt.Errorf("start journal: %w", err)
	}
	head := h.bytes(journalMagic)
	if _, err := f.Write(head); err != nil {
		return 0, errors.Join(fmt.Errorf("start journal: %w", err), f.Close(), os.Remove(f.Name()))
	}
	_ = s.closeJournal() // its frames are on the disk, or will be in the snapshot
	s.journal, s.generation, s.unsynced = f, h.generation, true
	s.length, s.headerLength, s.resumable = int64(len(head)), int64(len(head)), false
	return h.generation, nil
}

func (s *Store) closeJournal() error {
	if s.journal == nil {
		return nil
	}
	err := s.journal.Close()
	s.journal = nil
	return err
}

// replay passes every frame to apply. The error is errTorn if the last frame is
// truncated, as after the death of a process, and errDamaged if a frame is invalid.
func replay(frames []byte, apply func(frame []byte) error) error {
	for len(frames) > 0 {
		frame, rest, err := nextFrame(frames, largestFrame)
		if err != nil {
			return err
		}
		if err := apply(frame); err != nil {
			return fmt.Errorf("replay frame: %w", err)
		}
		frames = rest
	}
	return nil
}

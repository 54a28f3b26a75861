package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
)

// A journal is a header and then frames: a length, a checksum of the step, a
// checksum of both, and the step. All numbers are little-endian.
const (
	frameHeader     = 4 + 4 + 4
	largestFrame    = 1 << 30
	journalFileMode = 0o600
)

var (
	// ErrNoJournal is reported by Append when there is no journal to append
	// to: none was begun yet, or writing to the last one failed. The next
	// Rotate and Commit make good for it.
	ErrNoJournal = errors.New("no journal is open")

	errTorn    = errors.New("journal ends within a frame")
	errDamaged = errors.New("journal is damaged")
	errStray   = errors.New("journal does not continue what is there")
)

func checksum(b []byte) uint32 { return updateChecksum(0, b) }

func updateChecksum(sum uint32, b []byte) uint32 {
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
}

// Append writes one step to the journal. After an error no step is taken until
// the next Rotate, since a half-written one may stand in the way.
func (s *Store) Append(step []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal == nil {
		return ErrNoJournal
	}
	if len(step) == 0 || len(step) > largestFrame {
		return fmt.Errorf("append to journal: step of %d bytes", len(step))
	}
	s.frame = append(appendFrameHeader(s.frame[:0], step), step...)
	n, err := s.journal.Write(s.frame)
	s.length += int64(n)
	if cap(s.frame) > 1<<20 {
		s.frame = nil
	}
	if err != nil {
		return errors.Join(fmt.Errorf("append to journal: %w", err), s.closeJournal())
	}
	s.unsynced = true
	return nil
}

func appendFrameHeader(b, step []byte) []byte {
	at := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(step))) //nolint:gosec // at most largestFrame
	b = binary.LittleEndian.AppendUint32(b, checksum(step))
	return binary.LittleEndian.AppendUint32(b, checksum(b[at:]))
}

// Sync makes what was appended before it survive the death of the machine.
// Append does not wait for it.
func (s *Store) Sync() error {
	s.mu.Lock()
	f := s.journal
	if f == nil || !s.unsynced {
		s.mu.Unlock()
		return nil
	}
	s.unsynced = false
	s.mu.Unlock()
	// A journal that was closed meanwhile was synced by Rotate.
	err := f.Sync()
	if err == nil || errors.Is(err, os.ErrClosed) {
		return nil
	}
	s.mu.Lock()
	s.unsynced = s.unsynced || s.journal == f
	s.mu.Unlock()
	return fmt.Errorf("sync journal: %w", err)
}

// Resume goes on with the journal that Load has repeated last, so that steps can be
// appended without a snapshot before. That is right for whoever has changed nothing
// since Load. It reports false where it cannot be done: there is no snapshot, or the
// journal did not end with a whole step, or it is not there any more, or another
// version wrote either of them.
func (s *Store) Resume() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.whole || s.journal != nil {
		return false
	}
	f, err := os.OpenFile(s.journalPath(s.generation), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return false
	}
	s.journal, s.unsynced = f, true // whoever wrote it may have died before a Sync
	if s.hasJournal() != nil {
		_ = s.closeJournal()
	}
	return s.journal != nil
}

// Rotate begins a new journal: the steps appended from now on are those that a
// snapshot taken now does not hold. It returns what Commit needs. One that has
// no step yet serves again, so that trying for long leaves no heap of them.
// After an error the journal before it goes on.
func (s *Store) Rotate() (generation uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := header{version: Version, oldest: oldestReplayer, generation: s.generation + 1}
	if s.journal != nil {
		if s.length == s.empty {
			return s.generation, nil
		}
		h.follows, h.length = s.generation, s.length
		// Whether or not something seems unsynced: a Sync may be about to. Where it
		// fails, and then the machine does, the length tells what is missing.
		_ = s.journal.Sync()
	}
	f, err := os.OpenFile(s.journalPath(h.generation), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, journalFileMode)
	if err != nil {
		return 0, fmt.Errorf("begin journal: %w", err)
	}
	head := h.bytes(journalMagic)
	if _, err := f.Write(head); err != nil {
		return 0, errors.Join(fmt.Errorf("begin journal: %w", err), f.Close(), os.Remove(f.Name()))
	}
	_ = s.closeJournal() // what it holds is on the disk, or about to be in the snapshot
	s.journal, s.generation, s.unsynced = f, h.generation, true
	s.length, s.empty, s.whole = int64(len(head)), int64(len(head)), false
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

// replay hands every step of a journal to apply. The error is errTorn where
// the frames end within one, as they do when the process died while writing
// it, and errDamaged where they hold what was never written so.
func replay(frames []byte, apply func(step []byte) error) error {
	for len(frames) > 0 {
		step, rest, err := nextFrame(frames, largestFrame)
		if err != nil {
			return err
		}
		if err := apply(step); err != nil {
			return fmt.Errorf("repeat step: %w", err)
		}
		frames = rest
	}
	return nil
}

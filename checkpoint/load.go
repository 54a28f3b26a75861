package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/codec"
)

// A Report says what Load found.
type Report struct {
	Restored bool // there was a snapshot
	Steps    int  // repeated from journals
	// Version is the format of the snapshot, which may be newer than Version.
	Version uint32
	// Snapshot and Journals are the sizes, in bytes, of what was restored and of
	// what was repeated; Written is when the snapshot was.
	Snapshot, Journals int
	Written            time.Time
	// Damage lists what could not be used, file by file. It was set aside under
	// another name, and what it held has to be found anew where it came from.
	Damage []error

	found []damage
}

// A damage is what Load found to be wrong, before anything is done about it.
type damage struct {
	name string // of a file to be set aside; may be empty
	why  error
}

func (r *Report) damage(name string, why error) { r.found = append(r.found, damage{name, why}) }

// Load hands the snapshot's state to restore, if there is one, and then every
// step since to apply. Damage does not fail it: it is set aside and reported,
// and what came before it holds.
//
// Load fails, and changes nothing, where the directory cannot be read, or where restore or
// apply returned an error that wraps codec.ErrUnsupported. Open has refused a directory
// that requires a newer version.
func (s *Store) Load(restore, apply func([]byte) error) (Report, error) {
	var r Report
	h, err := s.loadSnapshot(restore)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case errors.Is(err, errBadSnapshot):
		r.damage(snapshotName, err)
	case err != nil:
		return r, err
	default:
		r.Restored, r.Version, s.oldest = true, h.version, h.oldest
		if s.snapshot, err = os.Stat(s.path(snapshotName)); err != nil {
			return r, fmt.Errorf("look at snapshot: %w", err)
		}
		r.Snapshot, r.Written = int(s.snapshot.Size()), s.snapshot.ModTime()
	}
	if err := s.loadJournals(&r, h.generation, apply); err != nil {
		return r, err
	}
	for _, d := range r.found {
		if d.name != "" {
			d.why = s.setAside(d.name, "damaged", d.why)
		}
		r.Damage = append(r.Damage, d.why)
	}
	return r, s.removeTemporary()
}

// loadJournals repeats the steps of the journals from generation on, as far as
// each follows what was repeated before it.
func (s *Store) loadJournals(r *Report, generation uint64, apply func([]byte) error) error {
	journals, err := s.journals()
	if err != nil {
		return err
	}
	if r.Restored && !slices.Contains(journals, generation) {
		r.damage("", fmt.Errorf("%s%d is missing", journalName, generation))
	}
	s.generation = generation
	var ended header // what follows the journal that was repeated last says of it, if it was whole
	ours := r.Version == Version
	for _, g := range journals {
		s.generation = max(s.generation, g)
		if g < generation {
			continue // left over by a Commit that was cut short
		}
		journal, err := os.ReadFile(s.journalPath(g))
		if err != nil {
			return fmt.Errorf("read journal: %w", err)
		}
		h, whole, err := repeat(journal, g, func(h header) bool {
			return r.Restored && (g == generation || ended.follows != 0 && ended.follows == h.follows && ended.length == h.length)
		}, r.counting(apply))
		if refused(err) {
			return err
		}
		if err != nil {
			r.damage(filepath.Base(s.journalPath(g)), err)
		}
		if ended = (header{}); whole {
			ended = header{version: h.version, follows: g, length: int64(len(journal))}
			r.Journals += len(journal)
			s.empty = int64(h.size)
		}
	}
	ours = ours && ended.version == Version
	s.whole, s.length = ours && ended.follows == s.generation && ended.follows != 0, ended.length
	return nil
}

// refused reports whether an error says that this version cannot do what a newer one
// asks of it.
func refused(err error) bool {
	newer := (*VersionError)(nil)
	return errors.As(err, &newer) || errors.Is(err, codec.ErrUnsupported)
}

// repeat hands the steps of journal g to apply, provided that they are next,
// and reports whether these are all that the journal ever held. What does not
// fit is an error, save what a process leaves that dies while it writes: a
// journal without a step, or a step cut off, whose effect nobody has seen.
func repeat(journal []byte, g uint64, next func(header) bool, apply func([]byte) error) (h header, whole bool, err error) {
	h, frames, err := parseHeader(journal, journalMagic)
	switch {
	case refused(err) && len(frames) == 0:
		err = nil // a newer version stopped properly
	case err == nil && h.generation != g:
		err = errDamaged
	case err == nil && next(h):
		err = replay(frames, apply)
		whole = err == nil
	case err == nil && len(frames) > 0:
		err = errStray
	}
	if errors.Is(err, errTorn) {
		err = nil
	}
	return h, whole, err
}

// counting counts the steps that apply takes.
func (r *Report) counting(apply func([]byte) error) func([]byte) error {
	return func(step []byte) error {
		if err := apply(step); err != nil {
			return err
		}
		r.Steps++
		return nil
	}
}

// loadSnapshot hands the state to restore and returns the header before it.
func (s *Store) loadSnapshot(restore func([]byte) error) (header, error) {
	b, err := os.ReadFile(s.path(snapshotName))
	if err != nil {
		return header{}, fmt.Errorf("read snapshot: %w", err)
	}
	h, state, err := parseHeader(b, snapshotMagic)
	switch {
	case refused(err):
		return header{}, err
	case err != nil || len(state) < 4 || checksum(b[:len(b)-4]) != binary.LittleEndian.Uint32(b[len(b)-4:]):
		return header{}, errBadSnapshot
	}
	if err := restore(state[:len(state)-4]); errors.Is(err, codec.ErrUnsupported) {
		return header{}, fmt.Errorf("read snapshot: %w: install a newer version again, or move the state directory away to start from zero", err)
	} else if err != nil {
		return header{}, fmt.Errorf("%w: %w", errBadSnapshot, err)
	}
	return h, nil
}

// setAside renames a file so that nothing takes it for good any more, and
// returns what there is to tell about it.
func (s *Store) setAside(name, as string, why error) error {
	for i := 1; ; i++ {
		to := fmt.Sprintf("%s.%s-%d", name, as, i)
		if _, err := os.Lstat(s.path(to)); err == nil {
			continue
		}
		if err := os.Rename(s.path(name), s.path(to)); err != nil {
			return errors.Join(why, fmt.Errorf("set file aside: %w", err))
		}
		return fmt.Errorf("%w: %s was set aside as %s", why, name, to)
	}
}

// removeTemporary removes what a process that died has left half done.
func (s *Store) removeTemporary() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("read state directory: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), snapshotName+"-") && !strings.HasPrefix(e.Name(), probeName) {
			continue
		}
		if err := os.Remove(s.path(e.Name())); err != nil {
			return fmt.Errorf("remove temporary file: %w", err)
		}
	}
	return nil
}

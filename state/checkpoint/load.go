package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// A Report describes what Load restored.
type Report struct {
	Restored bool // a snapshot was restored
	Frames   int  // number of frames replayed from journals
	// Snapshot and Journals are the sizes of the restored snapshot and of the replayed
	// journals, in bytes. Written is the time of writing the snapshot.
	Snapshot, Journals int
	Written            time.Time
	// Damage lists the unusable files. They were quarantined; their content has to be
	// counted from the transcripts again.
	Damage []error

	damaged []damagedFile
}

// A damagedFile was found by Load but not yet quarantined.
type damagedFile struct {
	name   string // empty if the file is missing
	reason error
}

// A decoder restores a snapshot or applies a frame. format is the file's format, which
// may be an older format.
type decoder = func(format uint32, b []byte) error

// Load passes the state of the snapshot, if one exists, to restore, and then every
// later frame to apply, each with the format of its file. Damage is no failure: the
// damaged file is quarantined and reported, and everything before the damage is kept.
// If apply fails, restore is called again, and must replace the applied frames.
//
// Load fails, and changes nothing, if the directory cannot be read, or if restore or
// apply return an error that wraps table.ErrUnsupported, or any error for content of an
// older format: then the error is a *VersionError, as Open returns for a newer format.
func (s *Store) Load(restore, apply func(format uint32, b []byte) error) (Report, error) {
	r, err := s.load(restore, apply)
	if isVersion(err) {
		return r, &VersionError{Dir: s.dir, Err: err}
	} else if err != nil {
		return r, err
	}
	for _, d := range r.damaged {
		if d.name != "" {
			d.reason = s.quarantine(d.name, "damaged", d.reason)
		}
		r.Damage = append(r.Damage, d.reason)
	}
	if err := s.removeFiles(isTemporary); err != nil {
		return r, fmt.Errorf("remove temporary file: %w", err)
	}
	return r, nil
}

// load is Load without changes of the directory. A frame that cannot be applied may
// have been applied in part, so it restores everything again up to that frame.
func (s *Store) load(restore, apply decoder) (Report, error) {
	var failure error
	r, err := s.loadOnce(restore, func(format uint32, frame []byte) error {
		failure = apply(format, frame)
		return failure
	})
	if err != nil || failure == nil {
		return r, err
	}
	valid := r.Frames
	return s.loadOnce(restore, func(format uint32, frame []byte) error {
		if valid == 0 {
			return failure
		}
		valid--
		return apply(format, frame)
	})
}

func (s *Store) loadOnce(restore, apply decoder) (r Report, err error) {
	h, err := s.loadSnapshot(restore)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case errors.Is(err, errBadSnapshot):
		r.damaged = append(r.damaged, damagedFile{snapshotName, err})
	case err != nil:
		return r, err
	default:
		r.Restored = true
		if s.snapshot, err = os.Stat(s.path(snapshotName)); err != nil {
			return r, fmt.Errorf("stat snapshot: %w", err)
		}
		r.Snapshot, r.Written = int(s.snapshot.Size()), s.snapshot.ModTime()
	}
	err = s.loadJournals(&r, h, apply)
	return r, err
}

// loadJournals replays the journals that follow a snapshot, as long as each journal
// continues its predecessor without a gap.
func (s *Store) loadJournals(r *Report, snapshot header, apply decoder) error {
	journals, strays, err := s.journals()
	if err != nil {
		return err
	}
	for _, name := range strays {
		r.damaged = append(r.damaged, damagedFile{name, errStray})
	}
	first := snapshot.generation
	if r.Restored && !slices.Contains(journals, first) {
		r.damaged = append(r.damaged, damagedFile{"", fmt.Errorf("%s is missing", journalFile(first))})
	}
	s.generation = first
	var last header // the header that a successor of the last completely replayed journal has
	current := snapshot.format == s.format
	for _, g := range journals {
		if g < first {
			continue // left behind by a Commit
		}
		journal, err := s.readFile(journalFile(g))
		if errors.Is(err, errNotRegular) {
			r.damaged = append(r.damaged, damagedFile{journalFile(g), errStray})
			continue
		}
		if err != nil {
			return fmt.Errorf("read journal: %w", err)
		}
		h, complete, err := s.replayJournal(r, journal, g, func(h header) bool {
			return r.Restored && (g == first || last.follows != 0 && last.follows == h.follows && last.length == h.length)
		}, apply)
		if isVersion(err) {
			return err
		}
		if err != nil {
			r.damaged = append(r.damaged, damagedFile{journalFile(g), err})
		}
		if err == nil || g <= s.generation+1 { // else it may not be from Rotate
			s.generation = max(s.generation, g)
		}
		current = current && h.format == s.format
		if last = (header{}); complete {
			last = header{follows: g, length: int64(len(journal))}
			r.Journals += len(journal)
			s.headerLength = int64(h.size)
		}
	}
	s.resumable, s.length = current && last.follows == s.generation && last.follows != 0, last.length
	return nil
}

// replayJournal passes the frames of journal g to apply if the journal is the next
// journal, and reports whether it was complete. Two remains of a process that died
// while writing are no error: a journal without frames, and a truncated last frame,
// whose effect was never visible.
func (s *Store) replayJournal(r *Report, journal []byte, g uint64, isNext func(header) bool, apply decoder) (h header, complete bool, err error) {
	h, frames, err := parseHeader(journal, journalMagic, s.format)
	switch {
	case err == nil && h.generation != g:
		err = errDamaged
	case err == nil && isNext(h):
		err = replay(frames, func(frame []byte) error {
			err := s.explain(h.format, apply(h.format, frame))
			if err == nil {
				r.Frames++
			}
			return err
		})
		complete = err == nil
	case err == nil && len(frames) > 0:
		err = errStray
	}
	if errors.Is(err, errTorn) && (h != header{} || g <= s.generation+1) {
		err = nil
	}
	return h, complete, err
}

// loadSnapshot passes the state to restore and returns the header of the snapshot.
func (s *Store) loadSnapshot(restore decoder) (header, error) {
	b, err := s.readFile(snapshotName)
	if err != nil {
		return header{}, fmt.Errorf("read snapshot: %w", err)
	}
	h, rest, err := parseHeader(b, snapshotMagic, s.format)
	if isVersion(err) {
		return header{}, err
	}
	state, ok := checkedState(b, rest)
	if err != nil || !ok {
		return header{}, errBadSnapshot
	}
	if err := s.explain(h.format, restore(h.format, state)); isVersion(err) {
		return header{}, err
	} else if err != nil {
		return header{}, fmt.Errorf("%w: %w", errBadSnapshot, err)
	}
	return h, nil
}

// quarantine renames a file to name.suffix-N, so that it is never loaded again, and
// returns the reason together with the new name.
func (s *Store) quarantine(name, suffix string, reason error) error {
	for i := 1; ; i++ {
		to := fmt.Sprintf("%s.%s-%d", name, suffix, i)
		if _, err := os.Lstat(s.path(to)); err == nil {
			continue
		}
		if err := os.Rename(s.path(name), s.path(to)); err != nil {
			return errors.Join(reason, fmt.Errorf("quarantine file: %w", err))
		}
		return fmt.Errorf("%w: %s renamed to %s", reason, name, to)
	}
}

// isTemporary reports whether an interrupted Commit, saved record or check for write
// access left a file.
func isTemporary(name string) bool {
	suffix, ok := strings.CutPrefix(name, snapshotName+"-")
	if !ok {
		suffix, ok = strings.CutPrefix(name, probeName)
	}
	return ok && suffix != "" && strings.Trim(suffix, "0123456789") == ""
}

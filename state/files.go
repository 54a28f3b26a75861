package state

import (
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The methods in this file track which files exist. Only this process needs that, so
// they change nothing that is saved.

// A Sighting is a file found by a walk, which does not open it.
type Sighting struct {
	Path       transcript.Key // digest of the path
	Root       int            // index of the root
	Agent      bool           // transcript of a sub-agent
	Identity   tailer.ID
	Identified bool // Identity is known
	Size       int64
	Modified   int64 // nanoseconds since the epoch
}

// ByIdentity returns the file with an identity.
func (s *State) ByIdentity(identity tailer.ID) (KnownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files.identified(identity)
}

// Renumbered returns the file that an earlier process found at a path, if an identity
// differs from that of the file only in the device. On macOS, and with some file
// systems of Linux, a device may have another number each time it is mounted.
func (s *State) Renumbered(path transcript.Key, identity tailer.ID) (KnownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files.at(path)
	return f, ok && !f.is(present) && f.identity.Inode == identity.Inode
}

// NextID returns the id that the next new file gets.
func (s *State) NextID() ledger.FileID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files.next()
}

// ByPath returns the file that this process has found at a path.
func (s *State) ByPath(path transcript.Key) (KnownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files.at(path)
	return f, ok && f.is(present)
}

// MarkSeen records that the current walk has found a file, and returns it. It returns
// false if no file, or another one, is known at this path. Without an identity, this
// process must have found the file before.
func (s *State) MarkSeen(found *Sighting) (KnownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files.at(found.Path)
	if !ok || found.Identified && f.identity != found.Identity || !found.Identified && !f.is(present) {
		return KnownFile{}, false
	}
	s.files.markSeen(f.ID, found.Root, found.Agent)
	return f, true
}

// MarkOpened records that a file was opened below a root.
func (s *State) MarkOpened(id ledger.FileID, root int, isAgent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files.mark(id, opened)
	s.files.markSeen(id, root, isAgent)
}

// MarkDescribed records that the type of a sub-agent was found in its description, and
// need not be read again unless the file is opened again.
func (s *State) MarkDescribed(id ledger.FileID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files.mark(id, typed)
}

// MarkUnreadable records that the current walk has found a file that cannot be read, so
// the file is not missing, whatever its path is now.
func (s *State) MarkUnreadable(found *Sighting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files.at(found.Path)
	if found.Identified {
		f, ok = s.files.identified(found.Identity)
	}
	if ok {
		s.files.mark(f.ID, seen)
	}
}

// IsDuplicate reports whether the current walk has also found the file at another path,
// unchanged.
func (s *State) IsDuplicate(found *Sighting) bool {
	if !found.Identified {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files.identified(found.Identity)
	return ok && f.Path != found.Path && f.is(seen) && f.LooksUnchanged(found)
}

// BeginWalk starts a walk.
func (s *State) BeginWalk() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files.beginWalk()
}

// EndWalk returns the files that the walk has not found, except below unreadable roots.
// Files at the changed paths may have moved during the walk, so they do not count as
// missing.
func (s *State) EndWalk(changed []transcript.Key, unreadable map[int]bool) []ledger.FileID {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range changed {
		if f, ok := s.files.at(path); ok {
			s.files.mark(f.ID, seen)
		}
	}
	return s.files.unseen(unreadable)
}

// ForgetSightings makes the next walk find and open every file again, as after a start.
func (s *State) ForgetSightings() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files.clearSightings()
}

// Present returns the numbers of present files.
func (s *State) Present() (sessions, agents int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files.sessions, s.files.agents
}

// FileCount returns the number of files in the state, including missing ones.
func (s *State) FileCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files.rows.Len()
}

// MissingSince returns since when a file is missing, or a time far in the future if it
// is not.
func (s *State) MissingSince(id ledger.FileID) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, _ := s.files.get(id); f.missing != 0 {
		return time.UnixMilli(f.missing)
	}
	return time.UnixMilli(1 << 52)
}

// WithoutTranscript returns those of some session ids for which no transcript exists.
func (s *State) WithoutTranscript(ids []string) []string {
	if len(ids) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.WithoutTranscript(ids)
}

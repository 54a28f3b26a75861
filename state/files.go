package state

import (
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The methods in this file say which file is where. What they change is known to this
// process only and is no step.

// A Sighting is a file as a walk has found it, without opening it.
type Sighting struct {
	Path       transcript.Key // digest of its path
	Root       int            // index of the directory it is in
	Agent      bool           // it is a sub-agent's
	Identity   tailer.ID
	Identified bool // the walk knows the identity
	Size       int64
	Modified   int64 // nanoseconds since the epoch
}

// Find returns the file with an identity, or the id that it would get.
func (s *State) ByIdentity(identity tailer.ID) (ledger.FileID, KnownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.fold.files.identified(identity); f != nil {
		return f.ID, *f, true
	}
	return s.fold.nextID, KnownFile{}, false
}

// NextID returns the id that the next new file gets.
func (s *State) NextID() ledger.FileID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.nextID
}

// At returns the file that this process has found at a path.
func (s *State) ByPath(path transcript.Key) (KnownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.fold.files.at(path); f != nil && f.is(there) {
		return *f, true
	}
	return KnownFile{}, false
}

// MarkSeen records that the current walk has found a file. It returns the file if it
// is the one that was at this path before. If the walk does not know the identity, this
// process must have opened the file.
func (s *State) MarkSeen(found *Sighting) (KnownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.fold.files.at(found.Path)
	if f == nil {
		return KnownFile{}, false
	}
	if found.Identified && f.identity != found.Identity || !found.Identified && !f.is(there) {
		return KnownFile{}, false
	}
	s.fold.files.markSeen(f, found.Root, found.Agent)
	return *f, true
}

// MarkOpened records that a file was opened in one of the directories.
func (s *State) MarkOpened(id ledger.FileID, root int, isAgent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.fold.files.get(id)
	f.traits |= opened
	s.fold.files.markSeen(f, root, isAgent)
}

// MarkUnreadable records that the current walk has found a file that cannot be read.
// The file is not missing, whatever its path is now.
func (s *State) MarkUnreadable(found *Sighting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.fold.files.at(found.Path)
	if found.Identified {
		f = s.fold.files.identified(found.Identity)
	}
	if f != nil {
		f.traits |= seen
	}
}

// IsDuplicate reports whether a file is also at another path, where the current walk
// has found it unchanged.
func (s *State) IsDuplicate(found *Sighting) bool {
	if !found.Identified {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.fold.files.identified(found.Identity)
	return f != nil && f.Path != found.Path && f.is(seen) && f.LooksUnchanged(found)
}

// BeginWalk begins a walk, which has seen no file yet.
func (s *State) BeginWalk() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.fold.files.all {
		s.fold.files.all[i].traits &^= seen
	}
}

// EndWalk returns the files that the walk has not found, except those in unreadable
// directories. Files at the changed paths may have moved behind the walk, so they do
// not count as missing.
func (s *State) EndWalk(changed []transcript.Key, unreadable map[int]bool) []ledger.FileID {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range changed {
		if f := s.fold.files.at(path); f != nil {
			f.traits |= seen
		}
	}
	return s.fold.files.missing(unreadable)
}

// ForgetSightings has every file found and opened again, as after a start.
func (s *State) ForgetSightings() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.fold.files.all {
		s.fold.files.markMissing(&s.fold.files.all[i])
	}
}

// Present returns the numbers of files that are there.
func (s *State) Present() (sessions, agents int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.files.sessions, s.fold.files.agents
}

// Known returns the number of files in the state, whether they are there or not.
func (s *State) FileCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.fold.files.all)
}

// MissingSince returns when a file was first missing; a time far in the future if it
// is not.
func (s *State) MissingSince(id ledger.FileID) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since := s.fold.files.gone[id]; since != 0 {
		return time.UnixMilli(since)
	}
	return time.UnixMilli(1 << 52)
}

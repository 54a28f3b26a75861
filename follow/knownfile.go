package follow

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A knownFile is the state at one moment of a file that was read, whether or not it
// still exists.
type knownFile struct {
	id ledger.FileID
	fileRow
	sighting
}

// A sighting is the place where this process has found a file. It is not saved.
type sighting struct {
	root   uint16 // index of the root above it
	traits traits
}

// traits describe a file in this process.
type traits uint8

const (
	present traits = 1 << iota // found, and not missing since
	seen                       // found by the current walk
	opened                     // opened in the ledger with the current configuration
	agent                      // transcript of a sub-agent
	typed                      // its type was found in its description since it was opened
	placed                     // its project was determined since it was opened at its path
)

func (s sighting) is(t traits) bool { return s.traits&t == t }

// isOpened reports whether the file is open in the ledger with the current
// configuration.
func (f *knownFile) isOpened() bool { return f.is(opened) }

// isDescribed reports whether the type of a sub-agent was found, see FileTable.mark.
func (f *knownFile) isDescribed() bool { return f.is(typed) }

// looksUnchanged reports whether a found file still has its size and modification time
// from when it was read to its end.
func (f *knownFile) looksUnchanged(found *foundFile) bool {
	return f.fingerprint.Offset == found.size && f.modified == found.modified
}

// A place is where a directory of Claude Code has a transcript.
type place struct {
	agent bool // the transcript of a sub-agent
	// key is the digest of the path of a sub-agent's transcript below the projects, zero
	// if there is only one directory of projects.
	key transcript.Key
}

// An occupant is the file that was found at a place, and the digest of its path then.
type occupant struct {
	id   ledger.FileID
	path transcript.Key
}

// A foundFile is a file found by a walk, which does not open it.
type foundFile struct {
	path       transcript.Key // digest of the path
	root       int            // index of the root
	place      place
	identity   tailer.ID
	identified bool // identity is known
	size       int64
	modified   int64 // nanoseconds since the epoch
}

// sawUnopened records that the current walk has found a file, and returns it. It
// returns false if another file or no file is known at this path. Without an identity,
// this process must have found the file before.
func (t *FileTable) sawUnopened(found *foundFile) (knownFile, bool) {
	f, ok := t.atPath(found.path)
	if !ok || found.identified && f.identity != found.identity || !found.identified && !f.is(present) {
		return knownFile{}, false
	}
	t.markSeen(f.id, found.root, found.place)
	return f, true
}

// sawUnreadable records that the current walk has found a file that cannot be read, so
// the file at its path is not missing.
func (t *FileTable) sawUnreadable(found *foundFile) {
	f, ok := t.atPath(found.path)
	if found.identified {
		f, ok = t.identified(found.identity)
	}
	if ok {
		t.mark(f.id, seen)
	}
}

// isDuplicate reports whether the current walk has also found the file at another path,
// unchanged.
func (t *FileTable) isDuplicate(found *foundFile) bool {
	f, ok := t.identified(found.identity)
	return found.identified && ok && f.path != found.path && f.is(seen) && f.looksUnchanged(found)
}

// endWalk returns the files that the walk has not found, except for hidden files.
// Files at the changed paths may have moved during the walk, so they do not count as
// missing; complete is false if the walk has not found one of these files.
func (t *FileTable) endWalk(changed []transcript.Key, hidden func(ledger.FileID, sighting) bool) (missing []ledger.FileID, complete bool) {
	complete = true
	for _, path := range changed {
		if f, ok := t.atPath(path); ok {
			complete = complete && (f.is(seen) || f.missing != 0)
			t.mark(f.id, seen)
		}
	}
	maps.DeleteFunc(t.places, func(_ transcript.Key, at occupant) bool { return !t.isAt(at) })
	return t.unseen(hidden), complete
}

// setSighting records the place of a file; the zero sighting if this process has not
// found it, or must find it again.
func (t *FileTable) setSighting(id ledger.FileID, s sighting) {
	t.tally(t.sightings[id], -1)
	if t.tally(s, 1); s == (sighting{}) {
		delete(t.sightings, id)
	} else {
		t.sightings[id] = s
	}
}

// tally adds n to the number of files of a kind if the file is present.
func (t *FileTable) tally(s sighting, n int) {
	switch {
	case !s.is(present):
	case s.is(agent):
		t.agents += n
	default:
		t.sessions += n
	}
}

// isReplica reports whether another present file has the same place in another
// directory of Claude Code. The file that had the same path before is none.
func (t *FileTable) isReplica(id ledger.FileID, at place) bool {
	other, ok := t.places[at.key]
	if !ok || other.id == id || !t.isAt(other) {
		return false
	}
	f, _ := t.rows.Get(id)
	return f.path != other.path
}

// isAt reports whether a file still has its place.
func (t *FileTable) isAt(at occupant) bool {
	f, _ := t.rows.Get(at.id)
	return f.path == at.path && t.sightings[at.id].is(present)
}

// markSeen records that the current walk has found a file below a root.
func (t *FileTable) markSeen(id ledger.FileID, root int, at place) {
	if !at.key.IsZero() && !t.isReplica(id, at) {
		f, _ := t.rows.Get(id)
		t.places[at.key] = occupant{id, f.path}
	}
	s := t.sightings[id]
	s.root, s.traits = uint16(root), s.traits&(opened|typed|placed)|present|seen
	if at.agent {
		s.traits |= agent
	}
	t.setSighting(id, s)
}

func (t *FileTable) mark(id ledger.FileID, traits traits) {
	s := t.sightings[id]
	s.traits |= traits
	t.setSighting(id, s)
}

func (t *FileTable) unmark(id ledger.FileID, traits traits) {
	s := t.sightings[id]
	s.traits &^= traits
	t.setSighting(id, s)
}

func (t *FileTable) beginWalk() {
	for id, s := range t.sightings {
		s.traits &^= seen
		t.sightings[id] = s
	}
}

// unseen returns the files that the current walk has not found and that are not hidden,
// in order.
func (t *FileTable) unseen(hidden func(ledger.FileID, sighting) bool) (ids []ledger.FileID) {
	for id, f := range t.rows.All() {
		if s := t.sightings[id]; f.missing == 0 && !s.is(seen) && !hidden(id, s) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// clearSightings makes the next walk find and open every file again.
func (t *FileTable) clearSightings() {
	clear(t.sightings)
	clear(t.places)
	t.sessions, t.agents = 0, 0
}

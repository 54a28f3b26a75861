package state

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/state/table"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The numbers of the tables of this package, see ledger.CountersField.
const (
	tableFiles codec.Number = ledger.CountersField + 1 + iota
	tableNextID
)

// A fileTable holds all known files.
type fileTable struct {
	rows   *table.Table[ledger.FileID, fileRow]
	nextID *table.Table[uint32, ledger.FileID] // one row, with the key 0

	// These follow from the rows.
	byIdentity map[tailer.ID]ledger.FileID
	byPath     map[transcript.Key]ledger.FileID // without missing files

	sightings        map[ledger.FileID]sighting // of this process
	sessions, agents int                        // numbers of present files
}

// A fileRow is a file that was read, whether or not it still exists. There may be tens
// of thousands, nearly all of which never change again, so it is small and holds no
// name.
type fileRow struct {
	Fingerprint tailer.Fingerprint // how far it was read
	identity    tailer.ID          // zero if another file has it now
	Path        transcript.Key     // digest of its last path
	Modified    int64              // its modification time when it was last read, in nanoseconds since the epoch
	missing     int64              // since when it is missing, in milliseconds since the epoch; 0 if it is not
}

func codeFileRow(c *codec.Coder, f *fileRow) {
	codec.Fixed64(c, 1, &f.Path)
	codec.Uint(c, 2, &f.identity.Device)
	codec.Uint(c, 3, &f.identity.Inode)
	codec.Int(c, 4, &f.Fingerprint.Offset)
	codec.Uint(c, 5, &f.Fingerprint.Head.Sum)
	codec.Uint(c, 6, &f.Fingerprint.Head.Len)
	codec.Uint(c, 7, &f.Fingerprint.Last.Sum)
	codec.Uint(c, 8, &f.Fingerprint.Last.Len)
	codec.Int(c, 9, &f.Modified)
	codec.Int(c, 10, &f.missing)
}

func newFileTable(s *table.Set) *fileTable {
	t := &fileTable{
		rows: table.New(s, tableFiles, table.Uint[ledger.FileID](), codeFileRow),
		nextID: table.New(s, tableNextID, table.Uint[uint32](), func(c *codec.Coder, id *ledger.FileID) {
			codec.Uint(c, 1, id)
		}),
	}
	t.index()
	return t
}

// index rebuilds what follows from the rows, and forgets all sightings.
func (t *fileTable) index() {
	t.byIdentity = make(map[tailer.ID]ledger.FileID, t.rows.Len())
	t.byPath = make(map[transcript.Key]ledger.FileID, t.rows.Len())
	t.sightings, t.sessions, t.agents = make(map[ledger.FileID]sighting), 0, 0
	for _, id := range t.ids() {
		f, _ := t.rows.Get(id)
		t.enter(id, &f)
	}
}

// enter adds a file to the lookup maps.
func (t *fileTable) enter(id ledger.FileID, f *fileRow) {
	if f.identity != (tailer.ID{}) {
		t.byIdentity[f.identity] = id
	}
	if f.missing == 0 {
		t.byPath[f.Path] = id
	}
}

// leave removes a file from the lookup maps.
func (t *fileTable) leave(id ledger.FileID, f *fileRow) {
	if t.byIdentity[f.identity] == id {
		delete(t.byIdentity, f.identity)
	}
	if t.byPath[f.Path] == id {
		delete(t.byPath, f.Path)
	}
}

// ids returns the ids of all files, in order.
func (t *fileTable) ids() []ledger.FileID {
	ids := make([]ledger.FileID, 0, t.rows.Len())
	for id := range t.rows.All() {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// next returns the id that the next new file gets.
func (t *fileTable) next() ledger.FileID {
	id, _ := t.nextID.Get(0)
	return max(id, 1)
}

// get returns a file by its id.
func (t *fileTable) get(id ledger.FileID) (KnownFile, bool) {
	f, ok := t.rows.Get(id)
	return KnownFile{ID: id, fileRow: f, sighting: t.sightings[id]}, ok
}

// identified returns the file with an identity.
func (t *fileTable) identified(identity tailer.ID) (KnownFile, bool) {
	return t.get(t.byIdentity[identity])
}

// at returns the file at a path unless it is missing.
func (t *fileTable) at(path transcript.Key) (KnownFile, bool) { return t.get(t.byPath[path]) }

// open adds a file, or changes its path and identity.
func (t *fileTable) open(id ledger.FileID, path transcript.Key, identity tailer.ID, modified int64) {
	// The previous owner of the identity no longer exists.
	if old, ok := t.identified(identity); ok && old.ID != id {
		old.identity = tailer.ID{}
		t.rows.Put(old.ID, old.fileRow)
	}
	f, known := t.rows.Get(id)
	if known {
		t.leave(id, &f)
	}
	f.Path, f.identity, f.Modified, f.missing = path, identity, modified, 0
	t.rows.Put(id, f)
	t.enter(id, &f)
	if id >= t.next() {
		t.nextID.Put(0, id+1)
	}
}

// setRead records how far a file was read.
func (t *fileTable) setRead(id ledger.FileID, read tailer.Fingerprint, modified int64) {
	if f, ok := t.rows.Get(id); ok {
		f.Fingerprint, f.Modified = read, modified
		t.rows.Put(id, f)
	}
}

func (t *fileTable) setFingerprint(id ledger.FileID, read tailer.Fingerprint) {
	if f, ok := t.rows.Get(id); ok {
		t.setRead(id, read, f.Modified)
	}
}

// setMissing marks a file as missing since now.
func (t *fileTable) setMissing(id ledger.FileID, now int64) {
	f, ok := t.rows.Get(id)
	if !ok {
		return
	}
	if t.byPath[f.Path] == id {
		delete(t.byPath, f.Path)
	}
	f.missing = now
	t.rows.Put(id, f)
	t.setSighting(id, sighting{})
}

// missingBefore returns the files missing since before a time, in order.
func (t *fileTable) missingBefore(then int64) (ids []ledger.FileID) {
	for id, f := range t.rows.All() {
		if f.missing != 0 && f.missing < then {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// forget removes missing files.
func (t *fileTable) forget(ids []ledger.FileID) {
	for _, id := range ids {
		f, _ := t.rows.Get(id)
		t.leave(id, &f)
		t.rows.Delete(id)
		t.setSighting(id, sighting{})
	}
}

// setSighting records how this process has found a file; the zero sighting if it has
// not, or must find it again.
func (t *fileTable) setSighting(id ledger.FileID, s sighting) {
	t.tally(t.sightings[id], -1)
	if t.tally(s, 1); s == (sighting{}) {
		delete(t.sightings, id)
	} else {
		t.sightings[id] = s
	}
}

// tally adds n to the number of files of a kind if the file is present.
func (t *fileTable) tally(s sighting, n int) {
	switch {
	case !s.is(present):
	case s.is(agent):
		t.agents += n
	default:
		t.sessions += n
	}
}

// markSeen records that the current walk has found a file below a root.
func (t *fileTable) markSeen(id ledger.FileID, root int, isAgent bool) {
	s := t.sightings[id]
	s.root, s.traits = uint16(root), s.traits&(opened|typed)|present|seen //nolint:gosec // there are few directories
	if isAgent {
		s.traits |= agent
	}
	t.setSighting(id, s)
}

// mark adds a trait to a file.
func (t *fileTable) mark(id ledger.FileID, traits traits) {
	s := t.sightings[id]
	s.traits |= traits
	t.setSighting(id, s)
}

// beginWalk starts a walk.
func (t *fileTable) beginWalk() {
	for id, s := range t.sightings {
		s.traits &^= seen
		t.sightings[id] = s
	}
}

// unseen returns the files that the current walk has not found, in order. It omits
// files below roots that could not be read completely, and in that case also files not
// found since the start, which may be below any root.
func (t *fileTable) unseen(unreadable map[int]bool) (ids []ledger.FileID) {
	for id, f := range t.rows.All() {
		s := t.sightings[id]
		hidden := len(unreadable) > 0 && (unreadable[int(s.root)] || !s.is(present))
		if f.missing == 0 && !s.is(seen) && !hidden {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// clearSightings makes the next walk find and open every file again.
func (t *fileTable) clearSightings() {
	clear(t.sightings)
	t.sessions, t.agents = 0, 0
}

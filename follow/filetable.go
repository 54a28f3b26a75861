package follow

import (
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The numbers of the tables of this package, which are persisted, see
// ledger.CountersField.
const (
	tableFiles  table.Number = 2
	tableNextID table.Number = 3

	tableWorktrees table.Number = 93
)

// A FileTable holds all files that were read. Its rows are part of the state; its
// remaining fields belong to this process only. The goroutine that changes the state
// also changes the table.
type FileTable struct {
	rows   *table.Table[ledger.FileID, fileRow]
	nextID *table.Table[uint32, ledger.FileID] // one row, with the key 0

	worktrees *table.Table[table.Hash, worktreeRow] // by worktreeKey

	// These are derived from the rows.
	byIdentity map[tailer.ID]ledger.FileID
	byPath     map[transcript.Key]ledger.FileID // without missing files

	sightings        map[ledger.FileID]sighting  // of this process
	places           map[transcript.Key]occupant // of sub-agents' transcripts, by place.key
	sessions, agents int                         // numbers of present files
}

// A fileRow is a file that was read, whether or not it still exists. There may be tens
// of thousands, and nearly all never change again, so it is small and holds no name.
type fileRow struct {
	fingerprint tailer.Fingerprint // up to the offset already read
	identity    tailer.ID          // zero if another file has the identity now
	path        transcript.Key     // digest of its last path
	modified    int64              // its modification time when it was last read, in nanoseconds since the epoch
	missing     int64              // time since which it is missing, in milliseconds since the epoch; 0 if it is present
}

func codeFileRow(c *table.Coder, f *fileRow) {
	table.Fixed64(c, 1, &f.path)
	table.Uint(c, 2, &f.identity.Device)
	table.Uint(c, 3, &f.identity.Inode)
	table.Int(c, 4, &f.fingerprint.Offset)
	table.Uint(c, 5, &f.fingerprint.Head.Sum)
	table.Uint(c, 6, &f.fingerprint.Head.Len)
	table.Uint(c, 7, &f.fingerprint.Last.Sum)
	table.Uint(c, 8, &f.fingerprint.Last.Len)
	table.Int(c, 9, &f.modified)
	table.Int(c, 10, &f.missing)
}

// NewFileTable adds the tables of files to a state, before it is restored.
func NewFileTable(s *state.State) *FileTable {
	tables := s.Tables()

	t := &FileTable{
		rows: table.NewNumbered[ledger.FileID](tables, tableFiles, codeFileRow),
		nextID: table.New(tables, tableNextID, table.UintKey[uint32](), func(c *table.Coder, id *ledger.FileID) {
			table.Uint(c, 1, id)
		}),
		worktrees: table.New(tables, tableWorktrees, table.HashKey[table.Hash](), codeWorktreeRow),
	}
	t.Restored()
	return t
}

// Restored completes restoring the state: it rebuilds the lookup maps from the rows,
// and forgets all sightings.
func (t *FileTable) Restored() {
	t.byIdentity = make(map[tailer.ID]ledger.FileID, t.rows.Len())
	t.byPath = make(map[transcript.Key]ledger.FileID, t.rows.Len())
	t.sightings, t.sessions, t.agents = make(map[ledger.FileID]sighting), 0, 0
	t.places = make(map[transcript.Key]occupant)
	for _, id := range t.ids() {
		f, _ := t.rows.Get(id)
		t.enter(id, &f)
	}
}

// enter adds a file to the lookup maps.
func (t *FileTable) enter(id ledger.FileID, f *fileRow) {
	if f.identity != (tailer.ID{}) {
		t.byIdentity[f.identity] = id
	}
	if f.missing == 0 {
		t.byPath[f.path] = id
	}
}

// leave removes a file from the lookup maps.
func (t *FileTable) leave(id ledger.FileID, f *fileRow) {
	if t.byIdentity[f.identity] == id {
		delete(t.byIdentity, f.identity)
	}
	if t.byPath[f.path] == id {
		delete(t.byPath, f.path)
	}
}

// Len returns the number of present and missing files.
func (t *FileTable) Len() int { return t.rows.Len() }

// IsOpened reports whether the file at a path was opened by this process.
func (t *FileTable) IsOpened(path transcript.Key) bool {
	f, ok := t.presentAt(path)
	return ok && f.isOpened()
}

// Present returns the numbers of present files.
func (t *FileTable) Present() (sessions, agents int) { return t.sessions, t.agents }

// ids returns the ids of all files, in order.
func (t *FileTable) ids() []ledger.FileID {
	ids := make([]ledger.FileID, 0, t.rows.Len())
	for id := range t.rows.All() {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// next returns the id of the next new file.
func (t *FileTable) next() ledger.FileID {
	id, _ := t.nextID.Get(0)
	return max(id, 1)
}

func (t *FileTable) get(id ledger.FileID) (knownFile, bool) {
	f, ok := t.rows.Get(id)
	return knownFile{id: id, fileRow: f, sighting: t.sightings[id]}, ok
}

func (t *FileTable) identified(identity tailer.ID) (knownFile, bool) {
	return t.get(t.byIdentity[identity])
}

// renumbered returns the file that an earlier process found at a path, if the file's
// identity differs from the given identity only in the device. On macOS, and with some
// file systems of Linux, the number of a device may change with each mount.
func (t *FileTable) renumbered(path transcript.Key, identity tailer.ID) (knownFile, bool) {
	f, ok := t.atPath(path)
	return f, ok && !f.is(present) && f.identity.Inode == identity.Inode
}

// presentAt returns the file that this process has found at a path.
func (t *FileTable) presentAt(path transcript.Key) (knownFile, bool) {
	f, ok := t.atPath(path)
	return f, ok && f.is(present)
}

// offsets returns the offset already read, for each file with an identity.
func (t *FileTable) offsets() map[tailer.ID]int64 {
	all := make(map[tailer.ID]int64, len(t.byIdentity))
	for identity, id := range t.byIdentity {
		f, _ := t.rows.Get(id)
		all[identity] = f.fingerprint.Offset
	}
	return all
}

// atPath returns the file at a path unless it is missing.
func (t *FileTable) atPath(path transcript.Key) (knownFile, bool) { return t.get(t.byPath[path]) }

// open adds a file, or changes its path and identity.
func (t *FileTable) open(id ledger.FileID, path transcript.Key, identity tailer.ID, modified int64) {
	// The previous owner of the identity no longer exists.
	if old, ok := t.identified(identity); ok && old.id != id {
		old.identity = tailer.ID{}
		t.rows.Put(old.id, old.fileRow)
	}
	f, known := t.rows.Get(id)
	if known {
		t.leave(id, &f)
	}
	f.path, f.identity, f.modified, f.missing = path, identity, modified, 0
	t.rows.Put(id, f)
	t.enter(id, &f)
	if id >= t.next() {
		t.nextID.Put(0, id+1)
	}
}

// setRead records the offset already read.
func (t *FileTable) setRead(id ledger.FileID, read tailer.Fingerprint, modified int64) {
	if f, ok := t.rows.Get(id); ok {
		f.fingerprint, f.modified = read, modified
		t.rows.Put(id, f)
	}
}

func (t *FileTable) setFingerprint(id ledger.FileID, read tailer.Fingerprint) {
	if f, ok := t.rows.Get(id); ok {
		t.setRead(id, read, f.modified)
	}
}

// setMissing marks a file as missing since now.
func (t *FileTable) setMissing(id ledger.FileID, now int64) {
	f, ok := t.rows.Get(id)
	if !ok {
		return
	}
	if t.byPath[f.path] == id {
		delete(t.byPath, f.path)
	}
	f.missing = now
	t.rows.Put(id, f)
	t.setSighting(id, sighting{})
}

// missingSince returns the time since which a file is missing, or a time far in the
// future if it is not missing.
func (t *FileTable) missingSince(id ledger.FileID) time.Time {
	if f, _ := t.rows.Get(id); f.missing != 0 {
		return time.UnixMilli(f.missing)
	}
	return time.UnixMilli(1 << 52)
}

// missingBefore returns the files missing since before a time, in order.
func (t *FileTable) missingBefore(then int64) (ids []ledger.FileID) {
	for id, f := range t.rows.All() {
		if f.missing != 0 && f.missing < then {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (t *FileTable) forget(ids []ledger.FileID) {
	for _, id := range ids {
		f, _ := t.rows.Get(id)
		t.leave(id, &f)
		t.rows.Delete(id)
		t.setSighting(id, sighting{})
	}
}

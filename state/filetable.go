package state

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A fileTable holds all known files. A pointer into it is valid until a file is added
// or forgotten.
type fileTable struct {
	all        []KnownFile               // ordered by id
	gone       map[ledger.FileID]int64   // since when a file is missing, in milliseconds since the epoch
	byIdentity map[identityHash]uint32   // index in all
	byPath     map[transcript.Key]uint32 // the same, for files that are not gone
	seed       maphash.Seed              // of the hashes

	sessions, agents int // numbers of files that are there

	unknown codec.Unknowns[ledger.FileID] // fields of files written by a newer version
}

// An identityHash is a map key that takes half the memory of an identity. If two
// identities have the same hash, one of them is not found: its file is then treated
// as a new file.
type identityHash [8]byte

func (t *fileTable) hash(identity tailer.ID) (h identityHash) {
	binary.NativeEndian.PutUint64(h[:], maphash.Comparable(t.seed, identity))
	return h
}

func newFileTable() *fileTable {
	t := &fileTable{gone: make(map[ledger.FileID]int64), seed: maphash.MakeSeed()}
	t.index()
	return t
}

// index rebuilds the lookup maps; later entries win.
func (t *fileTable) index() {
	t.byIdentity = make(map[identityHash]uint32, len(t.all))
	t.byPath = make(map[transcript.Key]uint32, len(t.all))
	for i := range t.all {
		t.enter(i)
	}
}

func (t *fileTable) enter(i int) {
	f := &t.all[i]
	if f.identity != (tailer.ID{}) {
		t.byIdentity[t.hash(f.identity)] = uint32(i) //nolint:gosec // there are as many files as numbers at most
	}
	if t.gone[f.ID] == 0 {
		t.byPath[f.Path] = uint32(i) //nolint:gosec // the same
	}
}

// search returns the index of a file in all, or where to insert it.
func (t *fileTable) search(id ledger.FileID) (int, bool) {
	return slices.BinarySearchFunc(t.all, id, func(f KnownFile, id ledger.FileID) int { return cmp.Compare(f.ID, id) })
}

// get returns a file by its id, or nil.
func (t *fileTable) get(id ledger.FileID) *KnownFile {
	if i, ok := t.search(id); ok {
		return &t.all[i]
	}
	return nil
}

// identified returns the file that has an identity, or nil.
func (t *fileTable) identified(identity tailer.ID) *KnownFile {
	if i, ok := t.byIdentity[t.hash(identity)]; ok && t.all[i].identity == identity {
		return &t.all[i]
	}
	return nil
}

// at returns the file whose path has a digest, or nil.
func (t *fileTable) at(path transcript.Key) *KnownFile {
	if i, ok := t.byPath[path]; ok {
		return &t.all[i]
	}
	return nil
}

// put adds a file, or changes its path and identity.
func (t *fileTable) put(id ledger.FileID, path transcript.Key, identity tailer.ID) *KnownFile {
	// The file that had the identity before does not exist any more.
	if old := t.identified(identity); old != nil && old.ID != id {
		old.identity = tailer.ID{}
	}
	i, known := t.search(id)
	if known {
		t.unlink(&t.all[i])
	} else {
		t.all = slices.Insert(t.all, i, KnownFile{ID: id})
	}
	f := &t.all[i]
	f.Path, f.identity = path, identity
	delete(t.gone, id)
	if t.enter(i); i < len(t.all)-1 && !known {
		t.index() // never in a daemon, whose numbers only ascend
	}
	return f
}

// unlink removes a file from the lookup maps.
func (t *fileTable) unlink(f *KnownFile) {
	if t.identified(f.identity) == f {
		delete(t.byIdentity, t.hash(f.identity))
	}
	if t.at(f.Path) == f {
		delete(t.byPath, f.Path)
	}
}

// lose marks a file as missing since now.
func (t *fileTable) lose(id ledger.FileID, now int64) {
	f := t.get(id)
	if f == nil {
		return
	}
	if t.at(f.Path) == f {
		delete(t.byPath, f.Path)
	}
	t.gone[id] = now
	t.markMissing(f)
}

// lostBefore returns the files that have been missing since before then.
func (t *fileTable) lostBefore(then int64) []ledger.FileID {
	var ids []ledger.FileID
	for id, since := range t.gone {
		if since < then {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// forget removes files.
func (t *fileTable) forget(ids []ledger.FileID) {
	dropped := make(map[ledger.FileID]struct{}, len(ids))
	for _, id := range ids {
		dropped[id] = struct{}{}
		delete(t.gone, id)
	}
	t.all = slices.DeleteFunc(t.all, func(f KnownFile) bool {
		_, drop := dropped[f.ID]
		return drop
	})
	t.index()
}

// markSeen marks a file as found by the current walk, in one of the directories.
func (t *fileTable) markSeen(f *KnownFile, root int, isAgent bool) {
	t.tally(f, -1)
	f.root = uint16(root) //nolint:gosec // there are few directories
	f.traits = f.traits&opened | there | seen
	if isAgent {
		f.traits |= agent
	}
	t.tally(f, 1)
}

// markMissing clears what this process knows of a file: it is not there, or must be
// found again.
func (t *fileTable) markMissing(f *KnownFile) {
	t.tally(f, -1)
	f.traits = 0
}

// tally adds n to the number of files of its kind if a file is there.
func (t *fileTable) tally(f *KnownFile, n int) {
	switch {
	case !f.is(there):
	case f.is(agent):
		t.agents += n
	default:
		t.sessions += n
	}
}

// missing returns the files that the current walk has not found, in order. It leaves
// out files of directories that could not be read completely, and then also files
// not found since the start, which may be in any directory.
func (t *fileTable) missing(unreadable map[int]bool) []ledger.FileID {
	var ids []ledger.FileID
	for i := range t.all {
		f := &t.all[i]
		hidden := len(unreadable) > 0 && (unreadable[int(f.root)] || !f.is(there))
		if t.gone[f.ID] == 0 && !f.is(seen) && !hidden {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// code encodes or decodes the files.
func (t *fileTable) code(c *codec.Coder) {
	if c.Reading() {
		t.gone, t.unknown = make(map[ledger.FileID]int64), nil
	}
	codec.Slice(c, 1, &t.all, t.codeFile)
	if !c.Reading() {
		return
	}
	for i := 1; i < len(t.all); i++ {
		if t.all[i].ID <= t.all[i-1].ID {
			c.Fail()
		}
	}
	t.index()
}

func (t *fileTable) codeFile(c *codec.Coder, f *KnownFile) {
	t.unknown.Carry(c, f.ID)
	codec.Uint(c, 1, &f.ID)
	codec.Fixed64(c, 2, &f.Path)
	codeIdentity(c, 3, &f.identity)
	codeMark(c, 5, &f.Mark)
	codec.Int(c, 10, &f.Modified)
	since := t.gone[f.ID]
	if codec.Int(c, 11, &since); c.Reading() && since != 0 {
		t.gone[f.ID] = since
	}
	t.unknown.Rest(c, f.ID)
}

package state

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A fileTable holds all known files. A pointer into it is valid until a file is added
// or forgotten.
type fileTable struct {
	all        []KnownFile               // ordered by id
	missing    map[ledger.FileID]int64   // since when, in milliseconds since the epoch
	byIdentity map[identityHash]uint32   // index in all
	byPath     map[transcript.Key]uint32 // the same, without missing files
	seed       maphash.Seed              // of the hashes

	sessions, agents int // numbers of present files

	unknown codec.Unknowns[ledger.FileID] // fields of files written by a newer version
}

// An identityHash is a map key of half the size of an identity. If two identities have
// the same hash, the lookup of one fails, and its file is treated as a new one.
type identityHash [8]byte

func (t *fileTable) hash(identity tailer.ID) (h identityHash) {
	binary.NativeEndian.PutUint64(h[:], maphash.Comparable(t.seed, identity))
	return h
}

func newFileTable() *fileTable {
	t := &fileTable{missing: make(map[ledger.FileID]int64), seed: maphash.MakeSeed()}
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
		t.byIdentity[t.hash(f.identity)] = uint32(i) //nolint:gosec // ids have 32 bits
	}
	if t.missing[f.ID] == 0 {
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

// identified returns the file with an identity, or nil.
func (t *fileTable) identified(identity tailer.ID) *KnownFile {
	if i, ok := t.byIdentity[t.hash(identity)]; ok && t.all[i].identity == identity {
		return &t.all[i]
	}
	return nil
}

// at returns the file at a path unless it is missing, or nil.
func (t *fileTable) at(path transcript.Key) *KnownFile {
	if i, ok := t.byPath[path]; ok {
		return &t.all[i]
	}
	return nil
}

// put adds a file, or changes its path and identity.
func (t *fileTable) put(id ledger.FileID, path transcript.Key, identity tailer.ID) *KnownFile {
	// The previous owner of the identity no longer exists.
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
	delete(t.missing, id)
	if t.enter(i); i < len(t.all)-1 && !known {
		t.index() // never in a daemon, whose ids only increase
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

// setMissing marks a file as missing since now.
func (t *fileTable) setMissing(id ledger.FileID, now int64) {
	f := t.get(id)
	if f == nil {
		return
	}
	if t.at(f.Path) == f {
		delete(t.byPath, f.Path)
	}
	t.missing[id] = now
	t.clearSighting(f)
}

// missingBefore returns the files missing since before a time.
func (t *fileTable) missingBefore(then int64) []ledger.FileID {
	var ids []ledger.FileID
	for id, since := range t.missing {
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
		delete(t.missing, id)
	}
	t.all = slices.DeleteFunc(t.all, func(f KnownFile) bool {
		_, drop := dropped[f.ID]
		return drop
	})
	t.index()
}

// markSeen records that the current walk has found a file below a root.
func (t *fileTable) markSeen(f *KnownFile, root int, isAgent bool) {
	t.tally(f, -1)
	f.root = uint16(root) //nolint:gosec // there are few directories
	f.traits = f.traits&(opened|typed) | present | seen
	if isAgent {
		f.traits |= agent
	}
	t.tally(f, 1)
}

// clearSighting clears the traits of a file that is missing or has to be found again.
func (t *fileTable) clearSighting(f *KnownFile) {
	t.tally(f, -1)
	f.traits = 0
}

// tally adds n to the number of files of a kind if the file is present.
func (t *fileTable) tally(f *KnownFile, n int) {
	switch {
	case !f.is(present):
	case f.is(agent):
		t.agents += n
	default:
		t.sessions += n
	}
}

// unseen returns the files that the current walk has not found, in order. It omits
// files below roots that could not be read completely, and in that case also files not
// found since the start, which may be below any root.
func (t *fileTable) unseen(unreadable map[int]bool) []ledger.FileID {
	var ids []ledger.FileID
	for i := range t.all {
		f := &t.all[i]
		hidden := len(unreadable) > 0 && (unreadable[int(f.root)] || !f.is(present))
		if t.missing[f.ID] == 0 && !f.is(seen) && !hidden {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// code encodes or decodes the files.
func (t *fileTable) code(c *codec.Coder) {
	if c.Reading() {
		t.missing, t.unknown = make(map[ledger.FileID]int64), nil
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
	codeFingerprint(c, 5, &f.Fingerprint)
	codec.Int(c, 10, &f.Modified)
	since := t.missing[f.ID]
	if codec.Int(c, 11, &since); c.Reading() && since != 0 {
		t.missing[f.ID] = since
	}
	t.unknown.Rest(c, f.ID)
}

package daemon

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A knownFile is a file that was read, wherever it is. There may be tens of
// thousands, nearly all of which will never change again, so it is small, and
// its name is not kept: whoever asks for a file has its name or what it is.
type knownFile struct {
	mark     tailer.Mark
	identity tailer.ID      // the zero one if another file has it now
	path     transcript.Key // digest of where it was last
	modified int64          // time of its last change when it was read last, in nanoseconds since the epoch
	id       ledger.FileID

	// What follows is not saved.

	source uint16 // where it was found: the place in the list of sources
	traits traits
}

// Traits are what this process has seen of a file.
type traits uint8

const (
	there  traits = 1 << iota // it was found, and not missed since
	met                       // the walk under way has come by it
	opened                    // the ledger was told of it as the configuration has it now
	agent                     // it is a sub-agent's
)

func (f *knownFile) is(t traits) bool { return f.traits&t == t }

// looks reports whether a file looks as this one did when it was read to its
// end.
func (f *knownFile) looks(found watcher.Found) bool {
	return f.mark.Offset == found.Info.Size() && f.modified == found.Info.ModTime().UnixNano()
}

// identityOf returns which file a walk has found, if it can tell.
func identityOf(found watcher.Found) (tailer.ID, bool) {
	device, inode, ok := found.Info.Identity()
	return tailer.ID{Device: device, Inode: inode}, ok
}

// A fileTable holds the files that are known. A pointer into it is valid until
// a file is added or forgotten.
type fileTable struct {
	all        []knownFile               // by id
	gone       map[ledger.FileID]int64   // since when a file is not found, in milliseconds since the epoch
	byIdentity map[identityHash]uint32   // where in all
	byPath     map[transcript.Key]uint32 // the same, for those that are not gone
	seed       maphash.Seed              // of the hashes

	sessions, agents int // how many of them are there

	unknown codec.Unknowns[ledger.FileID] // what a newer version has saved of them
}

// An identityHash stands for an identity where that would take half as much again.
// Of two identities with the same hash one is not found, as if its file were new
// under its name.
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

// index finds anew where everything is. What is told later wins.
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
	if t.gone[f.id] == 0 {
		t.byPath[f.path] = uint32(i) //nolint:gosec // the same
	}
}

// search returns where in all a file is, or would be.
func (t *fileTable) search(id ledger.FileID) (int, bool) {
	return slices.BinarySearchFunc(t.all, id, func(f knownFile, id ledger.FileID) int { return cmp.Compare(f.id, id) })
}

// get returns a file by its number, or nil.
func (t *fileTable) get(id ledger.FileID) *knownFile {
	if i, ok := t.search(id); ok {
		return &t.all[i]
	}
	return nil
}

// identified returns the file that has an identity, or nil.
func (t *fileTable) identified(identity tailer.ID) *knownFile {
	if i, ok := t.byIdentity[t.hash(identity)]; ok && t.all[i].identity == identity {
		return &t.all[i]
	}
	return nil
}

// at returns the file that is where the digest says, or nil.
func (t *fileTable) at(path transcript.Key) *knownFile {
	if i, ok := t.byPath[path]; ok {
		return &t.all[i]
	}
	return nil
}

// put makes a file known, or tells that it is elsewhere now.
func (t *fileTable) put(id ledger.FileID, path transcript.Key, identity tailer.ID) *knownFile {
	// Whoever had the identity before is not there any more.
	if old := t.identified(identity); old != nil && old.id != id {
		old.identity = tailer.ID{}
	}
	i, known := t.search(id)
	if known {
		t.leave(&t.all[i])
	} else {
		t.all = slices.Insert(t.all, i, knownFile{id: id})
	}
	f := &t.all[i]
	f.path, f.identity = path, identity
	delete(t.gone, id)
	if t.enter(i); i < len(t.all)-1 && !known {
		t.index() // never in a daemon, whose numbers only ascend
	}
	return f
}

// leave takes a file from where it can be found.
func (t *fileTable) leave(f *knownFile) {
	if t.identified(f.identity) == f {
		delete(t.byIdentity, t.hash(f.identity))
	}
	if t.at(f.path) == f {
		delete(t.byPath, f.path)
	}
}

// lose notes that a file is not found any more since the time now.
func (t *fileTable) lose(id ledger.FileID, now int64) {
	f := t.get(id)
	if f == nil {
		return
	}
	if t.at(f.path) == f {
		delete(t.byPath, f.path)
	}
	t.gone[id] = now
	t.miss(f)
}

// lostBefore returns the files that have been gone since before the time then.
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

// forget drops files.
func (t *fileTable) forget(ids []ledger.FileID) {
	dropped := make(map[ledger.FileID]struct{}, len(ids))
	for _, id := range ids {
		dropped[id] = struct{}{}
		delete(t.gone, id)
	}
	t.all = slices.DeleteFunc(t.all, func(f knownFile) bool {
		_, drop := dropped[f.id]
		return drop
	})
	t.index()
}

// meet notes that a file was found below a source.
func (t *fileTable) meet(f *knownFile, source int, isAgent bool) {
	t.tally(f, -1)
	f.source = uint16(source) //nolint:gosec // nobody has so many sources
	f.traits = f.traits&opened | there | met
	if isAgent {
		f.traits |= agent
	}
	t.tally(f, 1)
}

// miss notes that a file is not there, or that it must be looked for anew.
func (t *fileTable) miss(f *knownFile) {
	t.tally(f, -1)
	f.traits = 0
}

// tally counts a file in or out if it is there.
func (t *fileTable) tally(f *knownFile, n int) {
	switch {
	case !f.is(there):
	case f.is(agent):
		t.agents += n
	default:
		t.sessions += n
	}
}

// unmet returns the files that the last walk has not come by, in order. Below a
// source of which it could not read everything, nothing that was there counts;
// nor does what was not found since the start, which may be below any source.
func (t *fileTable) unmet(blind map[int]bool) []ledger.FileID {
	var ids []ledger.FileID
	for i := range t.all {
		f := &t.all[i]
		unseen := len(blind) > 0 && (blind[int(f.source)] || !f.is(there))
		if t.gone[f.id] == 0 && !f.is(met) && !unseen {
			ids = append(ids, f.id)
		}
	}
	return ids
}

// code visits the files.
func (t *fileTable) code(c *codec.Coder) {
	if c.Reading() {
		t.gone, t.unknown = make(map[ledger.FileID]int64), nil
	}
	codec.Slice(c, 1, &t.all, t.codeFile)
	if !c.Reading() {
		return
	}
	for i := 1; i < len(t.all); i++ {
		if t.all[i].id <= t.all[i-1].id {
			c.Fail()
		}
	}
	t.index()
}

func (t *fileTable) codeFile(c *codec.Coder, f *knownFile) {
	t.unknown.Carry(c, f.id)
	codec.Uint(c, 1, &f.id)
	codec.Fixed64(c, 2, &f.path)
	codeIdentity(c, 3, &f.identity)
	codeMark(c, 5, &f.mark)
	codec.Int(c, 10, &f.modified)
	since := t.gone[f.id]
	if codec.Int(c, 11, &since); c.Reading() && since != 0 {
		t.gone[f.id] = since
	}
	t.unknown.Rest(c, f.id)
}

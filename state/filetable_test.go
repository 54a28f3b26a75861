package state

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func testPath(n int) (path transcript.Key) {
	binary.LittleEndian.PutUint64(path[:], uint64(n))
	return path
}

// A plainTable is a reference implementation of fileTable that searches everything.
type plainTable map[ledger.FileID]plainFile

type plainFile struct {
	path     transcript.Key
	identity tailer.ID
	missing  int64
}

// put removes the identity from its previous owner.
func (p plainTable) put(id ledger.FileID, path transcript.Key, identity tailer.ID) {
	for other, f := range p {
		if f.identity == identity {
			f.identity = tailer.ID{}
			p[other] = f
		}
	}
	p[id] = plainFile{path: path, identity: identity}
}

// After any changes, before and after encoding, each file is found by id, identity and
// path.
func TestFileTable(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		table, plain := newFileTable(), make(plainTable)
		next := ledger.FileID(1)
		for range 300 {
			known := slices.Sorted(maps.Keys(plain))
			id := next
			if len(known) > 0 && r.IntN(2) == 0 {
				id = known[r.IntN(len(known))]
			}
			switch r.IntN(8) {
			case 0:
				if f, ok := plain[id]; ok {
					f.missing = 1 + r.Int64N(100)
					plain[id] = f
					table.setMissing(id, f.missing)
				}
			case 1:
				drop := table.missingBefore(20)
				table.forget(drop)
				maps.DeleteFunc(plain, func(_ ledger.FileID, f plainFile) bool { return f.missing != 0 && f.missing < 20 })
			case 2:
				c := codec.NewWriter(nil)
				table.code(c)
				again := newFileTable()
				reader := codec.NewReader(c.Bytes())
				if again.code(reader); reader.Done() != nil {
					t.Fatal(reader.Done())
				}
				table = again
			default:
				path, identity := testPath(r.IntN(60)), tailer.ID{Device: 1, Inode: 1 + r.Uint64N(60)}
				table.put(id, path, identity)
				plain.put(id, path, identity)
				next = max(next, id+1)
			}
			wantTable(t, table, plain)
		}
	}
}

// wantTable compares a table with the reference. If several files have the same path,
// any of them is correct.
func wantTable(t *testing.T, table *fileTable, plain plainTable) {
	t.Helper()
	if len(table.all) != len(plain) {
		t.Fatalf("%d files, want %d", len(table.all), len(plain))
	}
	for id, want := range plain {
		f := table.get(id)
		if f == nil || f.Path != want.path || f.identity != want.identity || table.missing[id] != want.missing {
			t.Fatalf("file %d is %+v, want %+v", id, f, want)
		}
		if at := table.identified(want.identity); want.identity != (tailer.ID{}) && (at == nil || at.ID != id) {
			t.Fatalf("lookup of file %d by identity: got %+v", id, at)
		}
		if at := table.at(want.path); at != nil && (at.Path != want.path || table.missing[at.ID] != 0) {
			t.Fatalf("lookup of file %d by path: got %+v", id, at)
		}
	}
	for path := range 60 {
		used := false
		for _, f := range plain {
			used = used || f.path == testPath(path) && f.missing == 0
		}
		if !used && table.at(testPath(path)) != nil {
			t.Fatalf("lookup of unused path %d returned a file", path)
		}
	}
}

// The numbers of present files are correct after every change.
func TestTally(t *testing.T) {
	table := newFileTable()
	for id := range ledger.FileID(4) {
		table.put(id, testPath(int(id)), tailer.ID{Inode: uint64(id) + 1})
		table.markSeen(table.get(id), 0, id == 3)
	}
	wantCounts := func(sessions, agents int) {
		t.Helper()
		if table.sessions != sessions || table.agents != agents {
			t.Errorf("%d sessions and %d sub-agents, want %d and %d", table.sessions, table.agents, sessions, agents)
		}
	}
	wantCounts(3, 1)
	table.markSeen(table.get(3), 0, true)
	wantCounts(3, 1)
	table.markSeen(table.get(3), 0, false) // renamed to a session
	wantCounts(4, 0)
	table.setMissing(0, 1)
	table.setMissing(0, 2)
	table.setMissing(9, 1)
	wantCounts(3, 0)
	table.clearSighting(table.get(1))
	wantCounts(2, 0)
	if got, want := table.unseen(nil), []ledger.FileID{1}; !slices.Equal(got, want) {
		t.Errorf("unseen files %v, want %v", got, want)
	}
}

// No file below a root counts as missing while part of the root cannot be read.
func TestUnreadableRoot(t *testing.T) {
	table := newFileTable()
	for id := range ledger.FileID(4) {
		table.put(id, testPath(int(id)), tailer.ID{Inode: uint64(id) + 1})
		table.markSeen(table.get(id), int(id)%2, false)
		table.get(id).traits &^= seen
	}
	table.get(2).traits |= seen
	table.clearSighting(table.get(3)) // never seen by this process, so possibly below any root
	for unreadable, want := range map[int][]ledger.FileID{0: {1}, 1: {0}, 2: {0, 1}} {
		if got := table.unseen(map[int]bool{unreadable: true}); !slices.Equal(got, want) {
			t.Errorf("with root %d unreadable: unseen files %v, want %v", unreadable, got, want)
		}
	}
	if got, want := table.unseen(nil), []ledger.FileID{0, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("unseen files %v, want %v", got, want)
	}
}

package state

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func place(n int) (path transcript.Key) {
	binary.LittleEndian.PutUint64(path[:], uint64(n))
	return path
}

// A plainTable says the same as a fileTable, by looking through everything.
type plainTable map[ledger.FileID]plainFile

type plainFile struct {
	path     transcript.Key
	identity tailer.ID
	gone     int64
}

// put of a file takes its identity from whoever had it.
func (p plainTable) put(id ledger.FileID, path transcript.Key, identity tailer.ID) {
	for other, f := range p {
		if f.identity == identity {
			f.identity = tailer.ID{}
			p[other] = f
		}
	}
	p[id] = plainFile{path: path, identity: identity}
}

// Whatever happens to files, each is found by its number, by what it is, and
// by where it is, before it is saved and after.
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
					f.gone = 1 + r.Int64N(100)
					plain[id] = f
					table.lose(id, f.gone)
				}
			case 1:
				drop := table.lostBefore(20)
				table.forget(drop)
				maps.DeleteFunc(plain, func(_ ledger.FileID, f plainFile) bool { return f.gone != 0 && f.gone < 20 })
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
				path, identity := place(r.IntN(60)), tailer.ID{Device: 1, Inode: 1 + r.Uint64N(60)}
				table.put(id, path, identity)
				plain.put(id, path, identity)
				next = max(next, id+1)
			}
			table.is(t, plain)
		}
	}
}

// is compares. Of several files that are said to be in one place any is right.
func (table *fileTable) is(t *testing.T, plain plainTable) {
	t.Helper()
	if len(table.all) != len(plain) {
		t.Fatalf("%d files, want %d", len(table.all), len(plain))
	}
	for id, want := range plain {
		f := table.get(id)
		if f == nil || f.Path != want.path || f.identity != want.identity || table.gone[id] != want.gone {
			t.Fatalf("file %d is %+v, want %+v", id, f, want)
		}
		if at := table.identified(want.identity); want.identity != (tailer.ID{}) && (at == nil || at.ID != id) {
			t.Fatalf("by its identity file %d is %+v", id, at)
		}
		if at := table.at(want.path); at != nil && (at.Path != want.path || table.gone[at.ID] != 0) {
			t.Fatalf("where file %d is, there is %+v", id, at)
		}
	}
	for path := range 60 {
		there := false
		for _, f := range plain {
			there = there || f.path == place(path) && f.gone == 0
		}
		if !there && table.at(place(path)) != nil {
			t.Fatalf("somebody is found at %d", path)
		}
	}
}

// How many files are there is known at any time.
func TestTally(t *testing.T) {
	table := newFileTable()
	for id := range ledger.FileID(4) {
		table.put(id, place(int(id)), tailer.ID{Inode: uint64(id) + 1})
		table.markSeen(table.get(id), 0, id == 3)
	}
	told := func(sessions, agents int) {
		t.Helper()
		if table.sessions != sessions || table.agents != agents {
			t.Errorf("%d sessions and %d sub-agents, want %d and %d", table.sessions, table.agents, sessions, agents)
		}
	}
	told(3, 1)
	table.markSeen(table.get(3), 0, true)
	told(3, 1)
	table.markSeen(table.get(3), 0, false) // it has another name
	told(4, 0)
	table.lose(0, 1)
	table.lose(0, 2)
	table.lose(9, 1)
	told(3, 0)
	table.markMissing(table.get(1))
	told(2, 0)
	if got, want := table.missing(nil), []ledger.FileID{1}; !slices.Equal(got, want) {
		t.Errorf("not met were %v, want %v", got, want)
	}
}

// Nothing below a source counts as missing while some of it cannot be read.
func TestBlindWalk(t *testing.T) {
	table := newFileTable()
	for id := range ledger.FileID(4) {
		table.put(id, place(int(id)), tailer.ID{Inode: uint64(id) + 1})
		table.markSeen(table.get(id), int(id)%2, false)
		table.get(id).traits &^= seen
	}
	table.get(2).traits |= seen
	table.markMissing(table.get(3)) // never seen by this process, and below any source
	for blind, want := range map[int][]ledger.FileID{0: {1}, 1: {0}, 2: {0, 1}} {
		if got := table.missing(map[int]bool{blind: true}); !slices.Equal(got, want) {
			t.Errorf("where source %d is blind, not met were %v, want %v", blind, got, want)
		}
	}
	if got, want := table.missing(nil), []ledger.FileID{0, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("not met were %v, want %v", got, want)
	}
}

// BenchmarkFileTable measures what a file that is known takes.
func BenchmarkFileTable(b *testing.B) {
	for _, files := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			var bytes int64
			for b.Loop() {
				before := heap()
				table := newFileTable()
				for i := range files {
					table.put(ledger.FileID(i+1), transcript.KeyOf(fmt.Sprint(i)), tailer.ID{Device: 1, Inode: uint64(i) + 1})
				}
				bytes = heap() - before
				runtime.KeepAlive(table)
			}
			b.ReportMetric(float64(bytes)/float64(files), "B/file")
		})
	}
}

// heap is how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/codec"
)

const agentLine = `{"type":"user","sessionId":"s1","message":{"content":"task"}}`

// agentsFound has copies of a sub-agent's transcript found, from a number on.
func agentsFound(l *Ledger, from, n int) {
	for i := range n {
		f := testFile(FileID(from+i), "agent-1.jsonl")
		l.Open(f)
		l.AddBatch(batchOf(f, birth, agentLine))
	}
}

// Copies of a sub-agent's transcript take work in proportion to how many they are: to
// be found, deleted, moved, found again, forgotten, and finalized.
func TestAgentCopiesTakeLinearWork(t *testing.T) {
	linear(t, func(n int) int {
		l := New(testOptions(), birth)
		quiet := func(from int) {
			for i := range n {
				l.FinalizeFile(FileID(from+i), birth)
			}
		}
		counts := func(what string, want int) {
			t.Helper()
			if got := value(l, subagents); got != uint64(want) {
				t.Errorf("%d sub-agents are counted after they %s, want %d", got, what, want)
			}
		}
		agentsFound(l, 1, n)
		quiet(1)
		counts("were found", n)
		for i := range n { // moved by way of a copy
			agentsFound(l, 1+n+i, 1)
			l.MarkMissing(FileID(1 + i))
		}
		quiet(1 + n)
		counts("were moved", n)
		for i := range n {
			l.MarkMissing(FileID(1 + n + i))
		}
		agentsFound(l, 1+2*n, n)
		quiet(1 + 2*n)
		counts("were written again", n)
		var all []FileID
		for i := range 2 * n {
			all = append(all, FileID(1+i))
		}
		l.Forget(all, birth)
		agentsFound(l, 1+3*n, n)
		quiet(1 + 3*n)
		counts("were copied", 2*n)
		if got := l.seen[seenSubagent].Len(); got != 1 {
			t.Errorf("they take %d keys", got)
		}
		return l.copies.steps
	})
}

// An agentModel decides which transcripts are sub-agents of their own by looking at all
// places, one by one. Which place of several is taken matters only if a file is renamed.
type agentModel struct {
	files  map[FileID]*modelFile
	places map[string][]FileID // the holders
	group  map[FileID]FileID
	total  uint64
}

type modelFile struct {
	name                string
	read, counted, gone bool
}

func (m *agentModel) open(id FileID) {
	if f := m.files[id]; f.gone {
		f.gone, f.counted = false, false
	}
}

func (m *agentModel) count(id FileID, quiet bool) {
	f := m.files[id]
	if f == nil || !f.read || f.counted {
		return
	}
	var fresh bool
	if f.counted, fresh = m.stand(id, quiet); fresh {
		m.total++
	}
}

func (m *agentModel) stand(id FileID, quiet bool) (decided, fresh bool) {
	f := m.files[id]
	holders := m.places[f.name]
	for _, holder := range holders {
		m.join(id, holder)
	}
	gone := func(holder FileID) bool { return m.files[holder] == nil || m.files[holder].gone }
	switch at := slices.IndexFunc(holders, gone); {
	case slices.Contains(holders, id):
		return true, false
	case at >= 0:
		holders[at] = id
		return true, false
	case len(holders) > 0 && !quiet:
		return false, false
	case len(holders) > 0 && f.gone:
		return true, false
	}
	m.places[f.name] = append(holders, id)
	return true, true
}

func (m *agentModel) root(id FileID) FileID {
	if root, ok := m.group[id]; ok {
		return root
	}
	return id
}

func (m *agentModel) join(a, b FileID) {
	from, to := m.root(a), m.root(b)
	for f := range FileID(200) {
		if m.root(f) == from {
			m.group[f] = to
		}
	}
}

func (m *agentModel) forget(id FileID) {
	m.count(id, true)
	delete(m.files, id)
	for name, holders := range m.places {
		lives := func(holder FileID) bool {
			for f := range m.files {
				if m.root(f) == m.root(holder) {
					return true
				}
			}
			return false
		}
		if !slices.ContainsFunc(holders, lives) {
			delete(m.places, name)
		}
	}
}

// Whatever happens to the transcripts of some sub-agents, they count as often as one
// that looks at every place of each would count them, also after a restart.
func TestAgentCopiesCountAsPlaces(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := &agentModel{make(map[FileID]*modelFile), make(map[string][]FileID), make(map[FileID]FileID), 0}
		l, next := New(testOptions(), birth), FileID(1)
		for step := range 150 {
			id := FileID(1 + r.IntN(int(next)))
			known := m.files[id]
			what := r.IntN(10)
			switch {
			case what < 3 && next < 100, known == nil:
				id, next = next, next+1
				name := fmt.Sprintf("agent-%d.jsonl", r.IntN(2))
				l.Open(testFile(id, name))
				l.AddBatch(batchOf(testFile(id, name), birth, agentLine))
				m.files[id] = &modelFile{name: name, read: true}
				m.count(id, false)
			case what < 5:
				l.MarkMissing(id)
				known.gone = true
			case what == 5:
				l.Open(testFile(id, known.name))
				m.open(id)
			case what == 6:
				l.Reset(id, Truncated, birth)
				*known = modelFile{name: known.name}
				l.AddBatch(batchOf(testFile(id, known.name), birth, agentLine))
				known.read = true
				m.count(id, false)
			case what == 7 && r.IntN(3) == 0:
				l.Forget([]FileID{id}, birth)
				m.forget(id)
			default:
				l.FinalizeFile(id, birth)
				m.count(id, true)
			}
			if got := value(l, subagents); got != m.total {
				t.Fatalf("seed %d: after step %d (%d on file %d) %d sub-agents are counted, want %d", seed, step, what, id, got, m.total)
			}
			if step%7 == 0 {
				again := reopened(t, l)
				if !reflect.DeepEqual(encode(again), encode(l)) {
					t.Fatalf("seed %d: step %d: it comes back as other bytes", seed, step)
				}
				l = again
			}
		}
	}
}

// A file that is renamed keeps its place under the old name too.
func TestRenamedAgentCopy(t *testing.T) {
	l := New(testOptions(), birth)
	agentsFound(l, 1, 2)
	l.FinalizeFile(2, birth)
	l.Open(testFile(1, "agent-2.jsonl"))
	agentsFound(l, 3, 1)
	l.FinalizeFile(3, birth)
	if got := value(l, subagents); got != 3 {
		t.Errorf("%d sub-agents are counted beside one that was renamed, want 3", got)
	}
	l.MarkMissing(1)
	agentsFound(l, 4, 1)
	if l.FinalizeFile(4, birth); value(l, subagents) != 3 {
		t.Errorf("%d sub-agents are counted when that is gone, want 3", value(l, subagents))
	}
	l.Forget([]FileID{1, 2, 3, 4}, birth)
	if len(l.copies.agents)+len(l.copies.heldBy) != 0 {
		t.Errorf("of forgotten files there are left %v and %v", l.copies.agents, l.copies.heldBy)
	}
}

// Places that do not fit to the files are refused.
func TestUnsoundAgentCopies(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(p *agentSlots)
		want  error
	}{
		{"sound", func(*agentSlots) {}, nil},
		{"a place without a file", func(p *agentSlots) { p.count++ }, nil},
		{"a file without a place", func(p *agentSlots) { p.count-- }, codec.ErrCorrupt},
		{"a file that is gone and is not", func(p *agentSlots) { p.markPresent(1) }, codec.ErrCorrupt},
		{"a file that is there and is gone", func(p *agentSlots) { p.markMissing(2) }, codec.ErrCorrupt},
		{"a file with two places", func(p *agentSlots) { p.missing = append(p.missing, 1) }, codec.ErrCorrupt},
		{"a file that is not known", func(p *agentSlots) { p.remove(2); p.holders[9] = 0 }, codec.ErrCorrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := New(testOptions(), birth)
			agentsFound(l, 1, 3)
			for i := range FileID(3) {
				l.FinalizeFile(i+1, birth)
			}
			l.MarkMissing(1)
			for _, p := range l.copies.agents {
				tt.spoil(p)
			}
			again := New(Options{}, 0)
			c := codec.NewReader(encode(l))
			if again.Code(c); !errors.Is(c.Done(), tt.want) {
				t.Errorf("got %v, want %v", c.Done(), tt.want)
			}
		})
	}
}

package ledger

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/testsize"
)

const agentLine = `{"type":"user","sessionId":"s1","message":{"content":"task"}}`

// agentsFound opens n files with copies of a sub-agent's transcript.
func agentsFound(l *Ledger, from, n int) {
	for i := range n {
		openWith(l, testFile(FileID(from+i), "agent-1.jsonl"), agentLine)
	}
}

// The work for copies of a sub-agent's transcript is proportional to their number when
// they are found, deleted, moved, found again, forgotten and finalized.
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
			if got := value(l, "claude_subagents_total"); got != uint64(want) {
				t.Errorf("after they %s: got %d sub-agents, want %d", what, got, want)
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
		if got := l.agents.seen.Len(); got != 1 {
			t.Errorf("got %d keys, want 1", got)
		}
		return l.agents.slots.steps
	})
}

// An agentModel counts sub-agents by visiting all slots, one by one. Which of several
// slots is taken matters only if a file is renamed.
type agentModel struct {
	files map[FileID]*modelFile
	slots map[string][]FileID // the holders
	group map[FileID]FileID
	total uint64
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
	holders := m.slots[f.name]
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
	m.slots[f.name] = append(holders, id)
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
	for name, holders := range m.slots {
		lives := func(holder FileID) bool {
			for f := range m.files {
				if m.root(f) == m.root(holder) {
					return true
				}
			}
			return false
		}
		if !slices.ContainsFunc(holders, lives) {
			delete(m.slots, name)
		}
	}
}

// Whatever happens to transcripts of sub-agents, the ledger counts what the model
// counts, also after a restart.
func TestAgentCopiesMatchModel(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
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
				openWith(l, testFile(id, name), agentLine)
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
			if got := value(l, "claude_subagents_total"); got != m.total {
				t.Fatalf("seed %d, step %d (%d on file %d): got %d sub-agents, want %d", seed, step, what, id, got, m.total)
			}
			if step%7 == 0 {
				again := reopened(t, l)
				if !reflect.DeepEqual(encode(again), encode(l)) {
					t.Fatalf("seed %d, step %d: saving it again gives other bytes", seed, step)
				}
				l = again
			}
		}
	}
}

// A file that is renamed keeps its slot under the old name too.
func TestRenamedAgentCopy(t *testing.T) {
	l := New(testOptions(), birth)
	agentsFound(l, 1, 2)
	l.FinalizeFile(2, birth)
	l.Open(testFile(1, "agent-2.jsonl"))
	agentsFound(l, 3, 1)
	l.FinalizeFile(3, birth)
	if got := value(l, "claude_subagents_total"); got != 3 {
		t.Errorf("after a rename: got %d sub-agents, want 3", got)
	}
	l.MarkMissing(1)
	agentsFound(l, 4, 1)
	if l.FinalizeFile(4, birth); value(l, "claude_subagents_total") != 3 {
		t.Errorf("after the renamed file is missing: got %d sub-agents, want 3", value(l, "claude_subagents_total"))
	}
	l.Forget([]FileID{1, 2, 3, 4}, birth)
	if len(l.agents.slots.agents)+len(l.agents.slots.heldBy) != 0 {
		t.Errorf("after all files are forgotten: got %v and %v, want none", l.agents.slots.agents, l.agents.slots.heldBy)
	}
}

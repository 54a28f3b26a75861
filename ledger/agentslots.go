package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/table"
)

// agentSlots holds the slots of the sub-agents that have more than one, see
// agents.claimSlot. Each operation takes constant time.
type agentSlots struct {
	counts  *table.Table[hash64, uint64]  // number of slots; some have no holder, since files are forgotten
	holders *table.Table[slotKey, uint32] // 0 for a file that is present, else 1 + its index in missing
	agents  map[hash64]*slotIndex         // derived from holders
	heldBy  map[FileID][]hash64           // the agents whose slots a file holds: mostly one; derived from holders
	steps   int                           // number of slots visited or changed, as a measure of the work for tests
}

// A slotKey is a sub-agent and a file that holds a slot of it.
type slotKey = table.Pair[hash64, FileID]

// A slotIndex is the holders of the slots of one sub-agent.
type slotIndex struct {
	holders int
	missing []FileID // a stack: the last one's slot is taken first
}

func newAgentSlots(c *core) agentSlots {
	number := func(c *table.Coder, n *uint64) { table.Uint(c, 1, n) }
	position := func(c *table.Coder, n *uint32) { table.Uint(c, 1, n) }
	return agentSlots{
		counts:  table.New(c.tables, tableSlotCounts, table.HashKey[hash64](), number),
		holders: table.New(c.tables, tableSlotHolders, table.PairKey(table.HashKey[hash64](), table.UintKey[FileID]()), position),
		agents:  make(map[hash64]*slotIndex), heldBy: make(map[FileID][]hash64),
	}
}

// has reports whether a sub-agent has several slots.
func (s *agentSlots) has(agent hash64) bool { return s.counts.Has(agent) }

// holds reports whether a file holds a slot of a sub-agent.
func (s *agentSlots) holds(agent hash64, id FileID) bool {
	return s.holders.Has(slotKey{A: agent, B: id})
}

// add adds a slot held by a present file. An agent without slots gets a first one, held
// by another present file.
func (s *agentSlots) add(agent hash64, first, id FileID) {
	n, known := s.counts.Get(agent)
	if !known {
		n = 1
		s.hold(agent, first, false)
	}
	s.counts.Put(agent, n+1)
	s.hold(agent, id, false)
}

// hold makes a file the holder of a vacant slot.
func (s *agentSlots) hold(agent hash64, id FileID, missing bool) {
	s.steps++
	s.holders.Put(slotKey{A: agent, B: id}, 0)
	if s.agents[agent] == nil {
		s.agents[agent] = new(slotIndex)
	}
	s.agents[agent].holders++
	s.heldBy[id] = append(s.heldBy[id], agent)
	if missing {
		s.setMissing(agent, id)
	}
}

// take gives a file the slot of a missing or forgotten one, unless it holds a slot
// already, and returns the file that had the slot, or this one. It returns false if all
// the other holders are present.
func (s *agentSlots) take(agent hash64, id FileID, missing bool) (before FileID, taken bool) {
	index := s.agents[agent]
	n, _ := s.counts.Get(agent)
	vacant := index == nil || n > uint64(index.holders)
	switch {
	case s.holds(agent, id):
		return id, true
	case vacant:
		s.hold(agent, id, missing)
		return id, true
	case len(index.missing) == 0:
		return id, false
	}
	s.steps++
	before = index.missing[len(index.missing)-1]
	s.remove(agent, before)
	s.release(before, agent)
	s.hold(agent, id, missing)
	return before, true
}

// release removes an agent from heldBy of a file.
func (s *agentSlots) release(id FileID, agent hash64) {
	s.heldBy[id] = slices.DeleteFunc(s.heldBy[id], func(h hash64) bool { return h == agent })
	if len(s.heldBy[id]) == 0 {
		delete(s.heldBy, id)
	}
}

// each calls f for every agent with a slot that a file holds.
func (s *agentSlots) each(id FileID, f func(hash64, FileID)) {
	for _, agent := range s.heldBy[id] {
		s.steps++
		f(agent, id)
	}
}

// markMissing records that a present file is missing.
func (s *agentSlots) markMissing(id FileID) { s.each(id, s.setMissing) }

// markPresent records that a missing file is present.
func (s *agentSlots) markPresent(id FileID) { s.each(id, s.setPresent) }

// forget leaves the slots of a file vacant.
func (s *agentSlots) forget(id FileID) {
	s.each(id, s.remove)
	delete(s.heldBy, id)
}

// retain drops the agents that are not known any more.
func (s *agentSlots) retain(known func(hash64) bool) {
	table.DeleteFunc(s.counts, func(agent hash64, _ uint64) bool { return !known(agent) })
	table.DeleteFunc(s.holders, func(k slotKey, _ uint32) bool { return !known(k.A) })
	s.reindex()
}

func (s *agentSlots) setMissing(agent hash64, id FileID) {
	index := s.agents[agent]
	index.missing = append(index.missing, id)
	s.holders.Put(slotKey{A: agent, B: id}, uint32(len(index.missing)))
}

func (s *agentSlots) setPresent(agent hash64, id FileID) {
	position, _ := s.holders.Get(slotKey{A: agent, B: id})
	index := s.agents[agent]
	last := len(index.missing) - 1
	moved := index.missing[last]
	index.missing[position-1] = moved
	index.missing = index.missing[:last]
	s.holders.Put(slotKey{A: agent, B: moved}, position)
	s.holders.Put(slotKey{A: agent, B: id}, 0)
}

func (s *agentSlots) remove(agent hash64, id FileID) {
	if position, _ := s.holders.Get(slotKey{A: agent, B: id}); position != 0 {
		s.setPresent(agent, id)
	}
	s.holders.Delete(slotKey{A: agent, B: id})
	s.agents[agent].holders--
}

// reindex rebuilds the fields that follow from the holders. It returns false if their
// positions are not valid.
func (s *agentSlots) reindex() bool {
	s.agents, s.heldBy = make(map[hash64]*slotIndex), make(map[FileID][]hash64)
	missing := make(map[hash64]int)
	for k, position := range s.holders.All() {
		if s.agents[k.A] == nil {
			s.agents[k.A] = new(slotIndex)
		}
		s.agents[k.A].holders++
		s.heldBy[k.B] = append(s.heldBy[k.B], k.A)
		if position > 0 {
			missing[k.A]++
		}
	}
	for agent, n := range missing {
		s.agents[agent].missing = make([]FileID, n)
	}
	for k, position := range s.holders.All() {
		stack := s.agents[k.A].missing
		if int(position) > len(stack) || position > 0 && stack[position-1] != 0 {
			return false
		}
		if position > 0 {
			stack[position-1] = k.B
		}
	}
	return true
}

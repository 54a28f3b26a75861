package ledger

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// agentCopies holds the slots of the sub-agents that have more than one, see
// Ledger.claimSlot. Each operation takes constant time.
type agentCopies struct {
	agents map[hash64]*agentSlots
	// heldBy lists the agents of which a file holds a slot: mostly one, and more if the
	// file was renamed. It follows from agents.
	heldBy map[FileID][]hash64
	steps  int // number of slots visited or changed, by which tests measure the work
}

// agentSlots are the slots of one sub-agent.
type agentSlots struct {
	count uint64 // of slots; those whose files were forgotten have no holder
	// holders are the files that hold a slot: with 0 a file that is present, and with
	// its index in missing, plus 1, one that is not.
	holders map[FileID]int
	missing []FileID // a stack: the last one's slot is taken first
}

func newAgentCopies() agentCopies {
	return agentCopies{agents: make(map[hash64]*agentSlots), heldBy: make(map[FileID][]hash64)}
}

// addSlot adds a slot held by a present file. An agent without an entry gets one, with
// a first slot held by another present file.
func (c *agentCopies) addSlot(agent hash64, first, id FileID) {
	s := c.agents[agent]
	if s == nil {
		s = &agentSlots{count: 1, holders: make(map[FileID]int)}
		c.agents[agent] = s
		c.hold(agent, first, false)
	}
	s.count++
	c.hold(agent, id, false)
}

// hold makes a file the holder of a slot that has none.
func (c *agentCopies) hold(agent hash64, id FileID, missing bool) {
	c.steps++
	s := c.agents[agent]
	s.holders[id] = 0
	if missing {
		s.markMissing(id)
	}
	c.heldBy[id] = append(c.heldBy[id], agent)
}

// take gives a file the slot of a missing or forgotten one, unless it holds a slot
// already. It returns false if all the other holders are present.
func (c *agentCopies) take(agent hash64, id FileID, missing bool) bool {
	s := c.agents[agent]
	vacant := s.count > uint64(len(s.holders))
	switch {
	case s.has(id):
		return true
	case !vacant && len(s.missing) == 0:
		return false
	case !vacant:
		c.steps++
		before := s.missing[len(s.missing)-1]
		s.remove(before)
		c.release(before, agent)
	}
	c.hold(agent, id, missing)
	return true
}

// release removes an agent from heldBy of a file.
func (c *agentCopies) release(id FileID, agent hash64) {
	c.heldBy[id] = slices.DeleteFunc(c.heldBy[id], func(h hash64) bool { return h == agent })
	if len(c.heldBy[id]) == 0 {
		delete(c.heldBy, id)
	}
}

// each calls f for the slots of every agent of which a file holds one.
func (c *agentCopies) each(id FileID, f func(*agentSlots, FileID)) {
	for _, agent := range c.heldBy[id] {
		c.steps++
		f(c.agents[agent], id)
	}
}

// markMissing records that a present file is missing.
func (c *agentCopies) markMissing(id FileID) { c.each(id, (*agentSlots).markMissing) }

// markPresent records that a missing file is present.
func (c *agentCopies) markPresent(id FileID) { c.each(id, (*agentSlots).markPresent) }

// forget leaves the slots of a file vacant.
func (c *agentCopies) forget(id FileID) {
	c.each(id, (*agentSlots).remove)
	delete(c.heldBy, id)
}

// retain drops the agents that are not known any more.
func (c *agentCopies) retain(known func(hash64) bool) {
	maps.DeleteFunc(c.agents, func(agent hash64, s *agentSlots) bool {
		if known(agent) {
			return false
		}
		for id := range s.holders {
			c.release(id, agent)
		}
		return true
	})
}

// replacedBy returns the file whose slot take gives to another one, or that one if it
// needs none.
func (s *agentSlots) replacedBy(id FileID) FileID {
	if s.has(id) || s.count > uint64(len(s.holders)) || len(s.missing) == 0 {
		return id
	}
	return s.missing[len(s.missing)-1]
}

func (s *agentSlots) has(id FileID) bool {
	_, ok := s.holders[id]
	return ok
}

func (s *agentSlots) markMissing(id FileID) {
	s.missing = append(s.missing, id)
	s.holders[id] = len(s.missing)
}

func (s *agentSlots) markPresent(id FileID) {
	at, last := s.holders[id], len(s.missing)-1
	s.missing[at-1] = s.missing[last]
	s.holders[s.missing[at-1]] = at
	s.missing = s.missing[:last]
	s.holders[id] = 0
}

func (s *agentSlots) remove(id FileID) {
	if s.holders[id] != 0 {
		s.markPresent(id)
	}
	delete(s.holders, id)
}

// code visits the slots of every agent. Reading fails if they do not fit the files.
func (c *agentCopies) code(w *codec.Coder, n codec.Number, unknown *codec.Unknowns[hash64], files map[FileID]fileState) {
	codec.Map(w, n, &c.agents, unknown, codeAgentSlots)
	if !w.Reading() {
		return
	}
	c.heldBy = make(map[FileID][]hash64)
	for _, agent := range slices.Sorted(maps.Keys(c.agents)) {
		s := c.agents[agent]
		if agent == 0 || s.count < uint64(len(s.holders)) {
			w.Fail()
		}
		for id, at := range s.holders {
			f, known := files[id]
			if !known || f.is(fileMissing) != (at != 0) {
				w.Fail()
			}
			c.heldBy[id] = append(c.heldBy[id], agent)
		}
	}
}

func codeAgentSlots(c *codec.Coder, agent *hash64, slots **agentSlots) {
	if codeHash(c, 1, agent); c.Reading() {
		*slots = new(agentSlots)
	}
	s := *slots
	codec.Uint(c, 2, &s.count)
	present := s.presentHolders()
	codec.Uints(c, 3, &present)
	codec.Uints(c, 4, &s.missing)
	if !c.Reading() {
		return
	}
	s.holders = make(map[FileID]int, len(present)+len(s.missing))
	for _, id := range present {
		s.holders[id] = 0
	}
	for i, id := range s.missing {
		s.holders[id] = i + 1
	}
	if len(s.holders) != len(present)+len(s.missing) { // a file holds two slots
		c.Fail()
	}
}

// presentHolders returns the holders that are present, in order.
func (s *agentSlots) presentHolders() (ids []FileID) {
	for id, at := range s.holders {
		if at == 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

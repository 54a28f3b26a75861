package ledger

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/codec"
)

// agentCopies holds the places of the sub-agents that have more than one, see
// Ledger.standFor. Each step takes the same time however many places there are.
type agentCopies struct {
	agents map[hash64]*agentSlots
	// held lists the agents in which a file holds a place: mostly one, and more when it
	// was renamed. It follows from agents.
	held  map[FileID][]hash64
	steps int // so many places were looked at or changed, by which tests measure the work
}

// agentPlaces are the places of one sub-agent.
type agentSlots struct {
	count uint64 // of places; those whose files were forgotten have no holder
	// holders are the files that hold a place: with 0 a file that is there, and with its
	// position in gone, counted from 1, one that is not.
	holders map[FileID]int
	missing    []FileID // the next place to be taken is that of the last one
}

func newAgentCopies() agentCopies {
	return agentCopies{agents: make(map[hash64]*agentSlots), held: make(map[FileID][]hash64)}
}

// of returns the places of an agent, nil if it has one at most.
func (c *agentCopies) of(agent hash64) *agentSlots { return c.agents[agent] }

// begin gives an agent whose only place is held by first, which is there, places here.
func (c *agentCopies) begin(agent hash64, first FileID) *agentSlots {
	p := &agentSlots{holders: make(map[FileID]int)}
	c.agents[agent] = p
	c.add(agent, p, first)
	return p
}

// add adds a place, which is held by a file that is there.
func (c *agentCopies) add(agent hash64, p *agentSlots, id FileID) {
	p.count++
	c.hold(agent, p, id, false)
}

func (c *agentCopies) hold(agent hash64, p *agentSlots, id FileID, gone bool) {
	c.steps++
	p.holders[id] = 0
	if gone {
		p.markMissing(id)
	}
	c.held[id] = append(c.held[id], agent)
}

// take gives a file the place of one that is not there any more, unless it holds a
// place already. It returns false if all the other holders are there.
func (c *agentCopies) take(agent hash64, p *agentSlots, id FileID, gone bool) bool {
	vacant := p.count > uint64(len(p.holders))
	switch {
	case p.has(id):
		return true
	case !vacant && len(p.missing) == 0:
		return false
	case !vacant:
		c.steps++
		before := p.missing[len(p.missing)-1]
		p.remove(before)
		c.release(before, agent)
	}
	c.hold(agent, p, id, gone)
	return true
}

// release notes that a file does not hold a place of an agent any more.
func (c *agentCopies) release(id FileID, agent hash64) {
	if left := slices.DeleteFunc(c.held[id], func(d hash64) bool { return d == agent }); len(left) > 0 {
		c.held[id] = left
	} else {
		delete(c.held, id)
	}
}

// lose notes that a file that was there is gone.
func (c *agentCopies) markMissing(id FileID) {
	for _, agent := range c.held[id] {
		c.steps++
		c.agents[agent].markMissing(id)
	}
}

// find notes that a file that was gone is there.
func (c *agentCopies) markPresent(id FileID) {
	for _, agent := range c.held[id] {
		c.steps++
		c.agents[agent].markPresent(id)
	}
}

// forget leaves the places of a file vacant.
func (c *agentCopies) forget(id FileID) {
	for _, agent := range c.held[id] {
		c.steps++
		c.agents[agent].remove(id)
	}
	delete(c.held, id)
}

// keep drops the agents that are not known any more.
func (c *agentCopies) retain(known func(hash64) bool) {
	maps.DeleteFunc(c.agents, func(agent hash64, p *agentSlots) bool {
		if known(agent) {
			return false
		}
		for id := range p.holders {
			c.release(id, agent)
		}
		return true
	})
}

func (p *agentSlots) has(id FileID) bool {
	_, ok := p.holders[id]
	return ok
}

func (p *agentSlots) markMissing(id FileID) {
	p.missing = append(p.missing, id)
	p.holders[id] = len(p.missing)
}

func (p *agentSlots) markPresent(id FileID) {
	at, last := p.holders[id], len(p.missing)-1
	p.missing[at-1] = p.missing[last]
	p.holders[p.missing[at-1]] = at
	p.missing = p.missing[:last]
	p.holders[id] = 0
}

func (p *agentSlots) remove(id FileID) {
	if p.holders[id] != 0 {
		p.markPresent(id)
	}
	delete(p.holders, id)
}

// code visits the field with the given number: the places of every agent. Reading them
// fails if they do not fit the files.
func (c *agentCopies) code(w *codec.Coder, n codec.Number, unknown *codec.Unknowns[hash64], files map[FileID]fileState) {
	codec.Map(w, n, &c.agents, unknown, codeAgentSlots)
	if !w.Reading() {
		return
	}
	c.held = make(map[FileID][]hash64)
	for _, agent := range slices.Sorted(maps.Keys(c.agents)) {
		p := c.agents[agent]
		if p.count < uint64(len(p.holders)) {
			w.Fail()
		}
		for id, at := range p.holders {
			f, known := files[id]
			if !known || f.is(fileMissing) != (at != 0) {
				w.Fail()
			}
			c.held[id] = append(c.held[id], agent)
		}
	}
}

func codeAgentSlots(c *codec.Coder, agent *hash64, p **agentSlots) {
	k := keyOf(*agent)
	if codec.Fixed64(c, 1, &k); c.Reading() {
		*agent, *p = hashOf(k), new(agentSlots)
	}
	codec.Uint(c, 2, &(*p).count)
	here := (*p).presentHolders()
	codec.Uints(c, 3, &here)
	codec.Uints(c, 4, &(*p).missing)
	if !c.Reading() {
		return
	}
	(*p).holders = make(map[FileID]int, len(here)+len((*p).missing))
	for _, id := range here {
		(*p).holders[id] = 0
	}
	for i, id := range (*p).missing {
		(*p).holders[id] = i + 1
	}
	if len((*p).holders) != len(here)+len((*p).missing) { // a file holds two places
		c.Fail()
	}
}

// here returns the holders that are there, in order.
func (p *agentSlots) presentHolders() (ids []FileID) {
	for id, at := range p.holders {
		if at == 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// agents counts sub-agents and their runs.
type agents struct {
	basic
	families agentFamilies
	seen     *dedupKeys
	slots    agentSlots
	runs     *table.Table[FileID, openRun] // of the transcripts of sub-agents that have one
}

type agentFamilies struct{ subagents, runs, duration counters.ID }

func newAgents(c *core) *agents {
	return &agents{
		basic: basic{c},
		families: agentFamilies{
			subagents: c.declare(claudeCounter("subagents_total", "Sub-agent transcripts with at least one line of dialogue.", "kind", "project")),
			runs: c.declare(caveat(claudeCounter("subagent_runs_total", "Runs of sub-agents that ended, by type and outcome.", "type", "outcome"),
				"`unfinished`: without an answer for a day.")),
			duration: c.declare(histogram(caveat(claudeCounter("subagent_duration_seconds", "Time from the first to the last line of a run of a sub-agent.", "type"),
				"Runs that begin with a copy of their session are missing."), milli, 10, 60, 300, 900, 3600)),
		},
		seen: c.keys("subagent", tableSubagents), slots: newAgentSlots(c),
		runs: table.New(c.tables, tableRuns, table.UintKey[FileID](), codeOpenRun),
	}
}

func (p *agents) countLine(l *line, e *transcript.Entry) {
	if l.startsAgent {
		p.countSubagent(l.id, l.file, false)
	}
	p.followRun(l, e)
}

func (p *agents) finalize(id FileID, f *fileState, now int64) {
	if p.isUncounted(f) {
		p.countSubagent(id, f, true)
	}
	p.quietRun(id, f, now)
}

func (p *agents) hasPending(id FileID, f *fileState) bool {
	r, _ := p.runs.Get(id)
	return p.isUncounted(f) || r.isNew && !r.waits
}

func (p *agents) reset(id FileID, f *fileState) {
	if f.has(fileMissing) {
		p.slots.markPresent(id)
	}
	p.resetRun(id)
}

func (p *agents) forget(id FileID, f *fileState, now int64) {
	p.finishRun(id, f, now)
	p.slots.forget(id)
}

func (p *agents) keysDropped() { p.slots.retain(p.seen.Has) }

// reindex rebuilds the fields that follow from the slots. It returns false if a holder
// is not a known file, if its slot and its state disagree on whether it is missing, or
// if an agent has more holders than slots.
func (p *agents) reindex() bool {
	if !p.slots.reindex() {
		return false
	}
	for k, at := range p.slots.holders.All() {
		f, known := p.files.Get(k.B)
		n, _ := p.slots.counts.Get(k.A)
		if !known || f.has(fileMissing) != (at > 0) || uint64(p.slots.agents[k.A].holders) > n {
			return false
		}
	}
	return true
}

// isUncounted reports whether a file is a sub-agent's that is not counted yet: no line
// has decided its kind, or it may be a copy of a counted transcript.
func (p *agents) isUncounted(f *fileState) bool {
	return f.has(fileDialogue) && !f.has(fileCounted) && p.attrsOf(f).kind.IsAgent()
}

// countSubagent counts a sub-agent's transcript, unless it was counted. If that cannot
// be decided yet, it waits until the file is quiet. In any case the transcript counts
// at the time of its first line of dialogue.
func (p *agents) countSubagent(id FileID, f *fileState, quiet bool) {
	if f.has(fileCounted) {
		return
	}
	decided, isNew := p.claimSlot(id, f, quiet)
	f.set(fileCounted, decided)
	p.decideRun(id, decided, isNew)
	if !decided || !isNew { // not new: the transcript was moved or written again
		return
	}
	attrs := p.attrsOf(f)
	if f.has(fileWarmup) {
		attrs.kind = transcript.Warmup
	}
	if !f.has(fileHasProject) {
		attrs.project = p.opts.UnknownProject
	}
	p.add(p.families.subagents, 1, f.beginning(), attrs.source, string(attrs.kind), attrs.project)
}

// claimSlot decides whether a sub-agent's transcript is new or was counted, and makes
// it the holder of a slot of that sub-agent.
//
// A sub-agent has as many slots as transcripts of it were present at once, and each
// slot is held by a file. A new file takes the slot of a missing one: it is the same
// transcript, moved or written again. If all holders are present, it is a further copy,
// unless it is a replica, which takes no slot of its own.
// A moved file is found under its new path before it is missing under the old one, so
// that is not decided before the file is quiet.
//
// The holder of the only slot is in agents.seen, since few sub-agents have copies.
func (p *agents) claimSlot(id FileID, f *fileState, quiet bool) (decided, isNew bool) {
	agent := p.agentKey(id, f)
	holder, known := p.seen.Get(agent)
	if !known {
		p.seen.Put(agent, id)
		return true, true
	}
	p.groups.join(holder, id)
	switch {
	case p.takeSlot(agent, holder, id, f.has(fileMissing)):
		return true, false
	case f.has(fileReplica):
		return true, false
	case !quiet:
		return false, false
	case f.has(fileMissing): // the holders were present without it
		return true, false
	}
	p.slots.add(agent, holder, id)
	return true, true
}

// takeSlot reports whether a file holds a slot, after giving it the slot of a missing
// file if necessary.
func (p *agents) takeSlot(agent hash64, holder, id FileID, missing bool) bool {
	if p.slots.has(agent) {
		before, taken := p.slots.take(agent, id, missing)
		if taken {
			p.moveRun(before, id)
		}
		return taken
	}
	if holder != id {
		if f, ok := p.files.Get(holder); ok && !f.has(fileMissing) {
			return false
		}
		p.seen.Put(agent, id)
		p.moveRun(holder, id)
	}
	return true
}

// MayHaveMoved reports whether a sub-agent's transcript may be a known one at a new
// path. It is not counted before it is quiet. MarkMissing should be called for missing
// files before that.
func (l *Ledger) MayHaveMoved(id FileID) bool {
	p := l.agents
	f, _ := p.files.Get(id)
	if !p.isUncounted(&f) {
		return false
	}
	agent := p.agentKey(id, &f)
	if p.slots.has(agent) {
		return !p.slots.holds(agent, id)
	}
	holder, known := p.seen.Get(agent)
	return known && holder != id
}

// agentKey returns the key of the sub-agent whose transcript a file is. In states
// before format 3, several sources share the slots of one sub-agent.
func (p *agents) agentKey(id FileID, f *fileState) hash64 {
	key := hashOf(transcript.KeyOf("subagent", string(f.name[:]), string(f.session[:])))
	if p.slots.holds(key, id) {
		return key
	}
	key, _, _ = p.seen.find(key, p.attrsOf(f).source)
	return key
}

package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// countSubagent counts a sub-agent's transcript, unless it is one that was counted. If
// that cannot be decided yet, it waits until the file is quiet. Whenever that is, the
// transcript counts at its first line of dialogue.
func (l *Ledger) countSubagent(id FileID, f *fileState, now int64, quiet bool) {
	if f.is(fileCounted) {
		return
	}
	decided, isNew := l.claimSlot(id, f, quiet)
	f.set(fileCounted, decided)
	l.decideRun(id, decided, isNew)
	if !decided || !isNew { // not new: the transcript was moved or written again
		return
	}
	attrs := l.fileAttrs.values[f.attrs]
	if f.is(fileWarmup) {
		attrs.kind = transcript.Warmup
	}
	if !f.is(fileHasProject) {
		attrs.project = l.opts.UnknownProject
	}
	l.add(subagents, 1, f.beginning(now), attrs.source, string(attrs.kind), attrs.project)
}

// claimSlot decides whether a sub-agent's transcript is a new one or one of those that
// were counted, and makes it the holder of a slot of that sub-agent.
//
// A sub-agent has as many slots as transcripts of it were present at once, and each
// slot is held by a file. A new file takes the slot of a missing one: it is the same
// transcript, moved or written again. If all holders are present, it is a further copy.
// A moved file is found under its new path before it is missing under the old one, so
// that is not decided before the file is quiet.
//
// The holder of the only slot is in Ledger.seen, since few sub-agents have copies.
func (l *Ledger) claimSlot(id FileID, f *fileState, quiet bool) (decided, isNew bool) {
	seen, agent := &l.seen[seenSubagent], f.agentKey()
	holder, known := seen.Get(agent)
	if !known {
		seen.Add(agent, id)
		return true, true
	}
	l.groups.join(holder, id)
	switch {
	case l.takeSlot(agent, holder, id, f.is(fileMissing)):
		return true, false
	case !quiet:
		return false, false
	case f.is(fileMissing): // the others were present without it
		return true, false
	}
	l.copies.addSlot(agent, holder, id)
	return true, true
}

// takeSlot reports whether a file holds a slot, after giving it the slot of a missing
// file if necessary.
func (l *Ledger) takeSlot(agent hash64, holder, id FileID, missing bool) bool {
	if slots := l.copies.agents[agent]; slots != nil {
		before := slots.replacedBy(id)
		taken := l.copies.take(agent, id, missing)
		if taken {
			l.moveRun(before, id)
		}
		return taken
	}
	if holder != id {
		if f, ok := l.files[holder]; ok && !f.is(fileMissing) {
			return false
		}
		l.seen[seenSubagent].Set(agent, id)
		l.moveRun(holder, id)
	}
	return true
}

// MayHaveMoved reports whether a sub-agent's transcript may be a known one at a new
// path. It is not counted before it is quiet. MarkMissing should be called for missing
// files before that.
func (l *Ledger) MayHaveMoved(id FileID) bool {
	f := l.files[id]
	if !l.isUncountedAgent(&f) {
		return false
	}
	agent := f.agentKey()
	if slots := l.copies.agents[agent]; slots != nil {
		return !slots.has(id)
	}
	holder, known := l.seen[seenSubagent].Get(agent)
	return known && holder != id
}

// agentKey returns the key of the sub-agent whose transcript a file is.
func (f *fileState) agentKey() hash64 {
	return hashOf(transcript.KeyOf("subagent", string(f.name[:]), string(f.session[:])))
}

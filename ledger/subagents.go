package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// Half a key is as much of it as is kept where there are many. Two of them together
// tell a sub-agent; the few that they do not tell apart are only counted later.
type shortHash [4]byte

// countSubagent counts a sub-agent's transcript at the time when, unless it is one
// that was counted. While it may be, it waits for quiet.
func (l *Ledger) countSubagent(id FileID, f *fileState, when int64, quiet bool) {
	if f.is(fileCounted) {
		return
	}
	decided, fresh := l.claimSlot(id, f, quiet)
	f.set(fileCounted, decided)
	if !decided || !fresh { // not fresh: the transcript was moved or written again
		return
	}
	at := l.fileAttrs.values[f.attrs]
	if f.is(fileWarmup) {
		at.kind = transcript.Warmup
	}
	if !f.is(fileHasProject) {
		at.project = l.opts.UnknownProject
	}
	l.add(subagents, 1, when, at.source, string(at.kind), at.project)
}

// standFor finds out whether a sub-agent's transcript is another one than those that
// were counted, and has it stand for what was counted of that sub-agent.
//
// A sub-agent has as many places as transcripts of it lay there at once, and each
// place has a file that holds it. A new file takes the place of one that is gone: it
// is the same transcript, moved or written again. If all of those are there, it is a
// further copy. A file that was moved is found in its new place before it is missed
// in the old one, so that is not decided before the file is quiet.
//
// The holder of the only place is in seen, since few sub-agents have copies.
func (l *Ledger) claimSlot(id FileID, f *fileState, quiet bool) (decided, fresh bool) {
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
	case f.is(fileMissing): // the others were there without it
		return true, false
	}
	places := l.copies.of(agent)
	if places == nil {
		places = l.copies.begin(agent, holder)
	}
	l.copies.add(agent, places, id)
	return true, true
}

// takePlace has a file hold the place that it holds already, or that of a file that
// is not there any more. It returns false if there is none.
func (l *Ledger) takeSlot(agent hash64, holder, id FileID, gone bool) bool {
	if places := l.copies.of(agent); places != nil {
		return l.copies.take(agent, places, id, gone)
	}
	if holder == id {
		return true
	}
	if l.isPresent(holder) {
		return false
	}
	l.seen[seenSubagent].Set(agent, id)
	return true
}

// Doubtful reports whether a file is a sub-agent's that waits for quiet because it
// may be one that was counted: until then those that are not there should be Gone.
func (l *Ledger) MayHaveMoved(id FileID) bool {
	f := l.files[id]
	if !l.uncounted(&f) {
		return false
	}
	agent := f.agentKey()
	if places := l.copies.of(agent); places != nil {
		return !places.has(id)
	}
	holder, known := l.seen[seenSubagent].Get(agent)
	return known && holder != id
}

// agentKey is the key of the sub-agent whose transcript a file is.
func (f *fileState) agentKey() hash64 {
	return hashOf(transcript.KeyOf("subagent", string(f.name[:]), string(f.session[:])))
}

// there reports whether a file was opened and is not gone.
func (l *Ledger) isPresent(id FileID) bool {
	f, ok := l.files[id]
	return ok && !f.is(fileMissing)
}

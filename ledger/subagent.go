package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// Half a key is as much of it as is kept where there are many. Two of them together
// tell a sub-agent; the few that they do not tell apart are only counted later.
type half [4]byte

// countSubagent counts a sub-agent's transcript at the time when, unless it is one
// that was counted. While it may be, it waits for quiet.
func (l *Ledger) countSubagent(id FileID, f *file, when int64, quiet bool) {
	if f.counted {
		return
	}
	decided, fresh := l.standFor(id, f, quiet)
	f.counted = decided
	switch {
	case !decided:
		return
	case !fresh:
		l.duplicate(seenNames[seenSubagent], when)
		return
	}
	at := l.places.all[f.place]
	if f.warmup {
		at.kind = transcript.Warmup
	}
	if !f.placed {
		at.project = l.opts.UnknownProject
	}
	l.add(subagents, 1, when, at.source, string(at.kind), at.project)
}

// standFor finds out whether a sub-agent's transcript is another one than those that
// were counted, and has it stand for what was counted of that sub-agent.
//
// A sub-agent has as many places as transcripts of it lay there at once, and each
// place has the file that stands for it. A file that is new takes the place of one
// that is gone: it is the same, moved or written again. Only when all of those are
// there is it a further copy. One that was moved is missed later than it is
// found elsewhere, so that is not decided before the file is quiet.
func (l *Ledger) standFor(id FileID, f *file, quiet bool) (decided, fresh bool) {
	seen := &l.seen[seenSubagent]
	for n := 0; ; n++ {
		place := f.agentPlace(n)
		holder, taken := seen.Get(place)
		if taken {
			l.kin.join(holder, id)
		}
		switch {
		case taken && holder != id && l.there(holder):
			continue
		case taken:
			seen.Put(place, id)
			return true, false
		case n > 0 && !quiet:
			return false, false
		case n > 0 && f.gone: // the others were there without it
			return true, false
		default:
			seen.Add(place, id)
			return true, true
		}
	}
}

// Doubtful reports whether a file is a sub-agent's that waits for quiet because it
// may be one that was counted: until then those that are not there should be Gone.
func (l *Ledger) Doubtful(id FileID) bool {
	f := l.files[id]
	if !l.uncounted(&f) {
		return false
	}
	holder, taken := l.seen[seenSubagent].Get(f.agentPlace(0))
	return taken && holder != id
}

// agentPlace is the key of a place of the sub-agent that a file is of.
func (f *file) agentPlace(n int) digest {
	return digestOf(transcript.KeyOf("subagent", string(f.name[:]), string(f.parent[:]), strconv.Itoa(n)))
}

// there reports whether a file was opened and is not gone.
func (l *Ledger) there(id FileID) bool {
	f, ok := l.files[id]
	return ok && !f.gone
}

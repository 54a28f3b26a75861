package ledger

import (
	"cmp"
	"math"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A File describes a transcript to the ledger before it is read.
type File struct {
	ID   FileID
	Kind transcript.FileKind
	// Name is the key of the file name, without its directory. It and the session
	// identify a sub-agent.
	Name   transcript.Key
	Source SourceLabels
	// AgentType is the label of the sub-agent's type, empty if it is not known, and
	// Opened the time at which it was read.
	AgentType string
	Opened    int64
}

// A fileState is the context that the lines of a transcript read so far provide for
// later lines. It is small, since there are many thousands of files that are no longer
// written.
type fileState struct {
	name         shortHash
	session      shortHash      // of the first line of dialogue that has one
	message      transcript.Key // of the latest record of a message
	queueOp      shortHash      // the latest queue operation
	attrs        uint32         // id in Ledger.fileAttrs
	began        uint32         // time of the first line of dialogue in seconds since the epoch
	queueRepeats uint16         // how many equal queue operations preceded the latest one
	flags        fileFlags
	mode         transcript.Circumstance // the latest permission mode
	latest       uint32                  // latest time of its lines in seconds since the epoch, 0 if none states one
	request      lastRequest             // of the main conversation, or the sub-agent
}

// fileFlags are properties of a file. Their order is that of their fields in codeFile.
type fileFlags uint8

const (
	fileOpen       fileFlags = 1 << iota // the message may still be being written
	fileHasCopies                        // it has a message that another file had first
	fileHasProject                       // some line named a directory
	fileDialogue                         // some line was part of a conversation
	filePrompted                         // some line was a user's, which decides between warm-up and task
	fileWarmup
	fileCounted // as a sub-agent
	fileMissing // it does not exist any more
)

// is reports whether a flag is set.
func (f *fileState) is(flag fileFlags) bool { return f.flags&flag != 0 }

// set sets or clears flags.
func (f *fileState) set(flags fileFlags, on bool) {
	if f.flags &^= flags; on {
		f.flags |= flags
	}
}

// fileAttrs are the attributes common to the lines of a file.
type fileAttrs struct {
	project string // of the latest line that named a directory
	source  SourceLabels
	kind    transcript.FileKind
	// agentType is that of the description of a sub-agent, empty if it has none.
	agentType string
}

// openMessage returns the message that may still be being written, or the zero Key.
func (f *fileState) openMessage() transcript.Key {
	if !f.is(fileOpen) {
		return transcript.Key{}
	}
	return f.message
}

// begin records the time of the first line of dialogue.
func (f *fileState) begin(when int64) {
	if f.began == 0 {
		f.began = uint32(min(max(0, when)/1000, math.MaxUint32))
	}
}

// beginning returns the time of the first line of dialogue, to the second. It is now if
// an older version read that line.
func (f *fileState) beginning(now int64) int64 { return cmp.Or(int64(f.began)*1000, now) }

// agent returns the agent label of a line.
func (f *fileState) agent(kind transcript.FileKind, sidechain bool) string {
	switch {
	case f.is(fileWarmup):
		return "warmup"
	case kind.Replays():
		return string(kind)
	case kind.IsAgent() || sidechain:
		return "subagent"
	default:
		return "main"
	}
}

// Open announces a file before its first batch, and again when it has moved.
func (l *Ledger) Open(f File) {
	l.zeroFirst.next()
	known, again := l.files[f.ID]
	attrs := fileAttrs{source: f.Source, kind: f.Kind}
	if again {
		attrs.project = l.fileAttrs.values[known.attrs].project
		attrs.agentType = l.fileAttrs.values[known.attrs].agentType
	}
	if f.AgentType != "" {
		attrs.agentType = l.bounded(agentTypeLabel, f.AgentType, f.Opened)
	}
	name := shortHash(f.Name[:])
	renamed := known.name != name
	switch known.name, known.attrs = name, l.fileAttrs.id(attrs); {
	case known.is(fileMissing): // another file may hold its slot by now
		known.set(fileMissing|fileCounted, false)
		l.copies.markPresent(f.ID)
	case known.is(fileCounted) && renamed:
		l.claimSlot(f.ID, &known, true)
	}
	l.files[f.ID] = known
}

// MarkMissing records that a file no longer exists, until Open announces it again.
func (l *Ledger) MarkMissing(id FileID) {
	if f, ok := l.files[id]; ok && !f.is(fileMissing) {
		f.set(fileMissing, true)
		l.files[id] = f
		l.copies.markMissing(id)
	}
}

// The reasons for reading a file again from its beginning.
const (
	Truncated = "truncated"
	Replaced  = "replaced"
	Requested = "requested" // by the user
)

// ResetReasons lists them. It must not be modified.
var ResetReasons = []string{Truncated, Replaced, Requested}

// Reset records that, at the time now, a file is read again from its beginning.
func (l *Ledger) Reset(id FileID, reason string, now int64) {
	l.zeroFirst.next()
	l.add(fileResets, 1, now, "", reason)
	f, ok := l.files[id]
	if !ok {
		return
	}
	if l.holds(f.openMessage()) {
		l.openBeforeReset[id] = append(l.openBeforeReset[id], f.message)
	}
	if f.is(fileMissing) {
		l.copies.markPresent(id)
	}
	delete(l.turns, id)
	l.dropTimings(id)
	delete(l.sideRequests, id)
	l.resetRun(id)
	l.files[id] = fileState{name: f.name, attrs: f.attrs, flags: f.flags & fileHasProject}
}

// FinalizeFile counts the pending messages, tool results, turn, sub-agent and its run
// of a file that has been quiet for longer than a response takes. It does not count a
// message that another file has continued: that file may be a rewritten version of
// this one. A run that has not ended waits until EndSessions counts it.
func (l *Ledger) FinalizeFile(id FileID, now int64) {
	l.zeroFirst.next()
	f, ok := l.files[id]
	if !ok {
		return
	}
	for _, key := range append(l.openBeforeReset[id], f.openMessage()) {
		if h := l.held.Get(hashOf(key)); h != nil && h.file == id {
			l.ready = append(l.ready, key)
		}
	}
	f.set(fileOpen, false)
	delete(l.openBeforeReset, id)
	l.Settle()
	l.adoptOrphans(id)
	l.finishTurn(id, now)
	l.finishRequests(id, l.fileAttrs.values[f.attrs].source, now)
	if l.isUncountedAgent(&f) {
		l.countSubagent(id, &f, now, true)
	}
	l.quietRun(id, &f, now)
	l.files[id] = f
	l.zeroFirst.markExposed()
}

// isUncountedAgent reports whether a file is a sub-agent's that is not counted yet: no
// line has decided its kind, or it may be a copy of one that was counted.
func (l *Ledger) isUncountedAgent(f *fileState) bool {
	return f.is(fileDialogue) && !f.is(fileCounted) && l.fileAttrs.values[f.attrs].kind.IsAgent()
}

// HasPending reports whether FinalizeFile would count something, or let a run wait.
func (l *Ledger) HasPending(id FileID) bool {
	f, ok := l.files[id]
	return ok && (l.holds(f.openMessage()) || len(l.openBeforeReset[id])+len(l.orphansOf[id]) > 0 ||
		l.isUncountedAgent(&f) || l.hasPendingTurn(id) || l.hasPendingRequest(id) || l.hasPendingRun(id))
}

// Forget drops, at the time now, the keys that only the given files could repeat.
func (l *Ledger) Forget(files []FileID, now int64) {
	for _, id := range files {
		l.FinalizeFile(id, now)
		f := l.files[id]
		l.finishRun(id, &f, now)
		delete(l.files, id)
		delete(l.turns, id)
		l.dropTimings(id)
		delete(l.sideRequests, id)
		l.copies.forget(id)
	}
	if len(files) > 0 {
		l.forgetKeys()
	}
}

package ledger

import (
	"cmp"
	"slices"

	"github.com/ccwatchd/ccwatchd/table"
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
	// AgentType is the label of the sub-agent's type, empty if it is not known. It was
	// read at the time Opened.
	AgentType string
	Opened    int64
	// Replica reports that another present file has the same path in another directory of
	// Claude Code, such as a snapshot of a home directory.
	Replica bool
}

// A fileState is the context that the lines of a transcript read so far provide for
// later lines. The preparers keep it, except for the fields of parts. It is small,
// since there are many thousands of files that are no longer written.
type fileState struct {
	name         shortHash
	session      shortHash      // of the first line of dialogue with a session
	message      transcript.Key // of the latest record of a message; belongs to messages
	queueOp      shortHash      // the latest queue operation; belongs to queue
	attrs        uint32         // id in core.fileAttrs
	began        uint32         // time of the first line of dialogue in seconds since the epoch
	queueRepeats uint16         // number of equal queue operations before queueOp; belongs to queue
	flags        fileFlags
	mode         transcript.Enum // the latest permission mode
	latest       uint32          // latest time of its lines in seconds since the epoch, 0 if not stated
	request      lastRequest     // of the main conversation, or the sub-agent
}

// fileFlags are properties of a file.
type fileFlags uint16

// The flags of a file. Their numbers are persisted.
const (
	fileOpen       fileFlags = 1  // the message may still be being written; belongs to messages
	fileHasCopies  fileFlags = 2  // it has a message that another file had first; belongs to messages
	fileHasProject fileFlags = 4  // some line named a directory
	fileDialogue   fileFlags = 8  // some line was part of a conversation
	filePrompted   fileFlags = 16 // some line was a user's, which decides between warm-up and task
	fileWarmup     fileFlags = 32
	fileCounted    fileFlags = 64   // as a sub-agent; belongs to agents
	fileMissing    fileFlags = 128  // it does not exist any more
	fileForked     fileFlags = 256  // it shows itself that it begins with copies from another session
	fileCopying    fileFlags = 512  // its latest prompt or line of dialogue was such a copy
	fileReplica    fileFlags = 1024 // see File.Replica
)

// has reports whether a flag is set.
func (f *fileState) has(flag fileFlags) bool { return f.flags&flag != 0 }

// set sets or clears flags.
func (f *fileState) set(flags fileFlags, on bool) {
	if f.flags &^= flags; on {
		f.flags |= flags
	}
}

// fileAttrs are the attributes common to the lines of a file.
type fileAttrs struct {
	project string // where its session was started
	source  SourceLabels
	kind    transcript.FileKind
	// agentType is in the description of a sub-agent, empty without a description.
	agentType string
}

// openMessage returns the message that may still be being written, or the zero Key.
func (f *fileState) openMessage() transcript.Key {
	if !f.has(fileOpen) {
		return transcript.Key{}
	}
	return f.message
}

// beginning returns the time of the first line of dialogue, to the second.
func (f *fileState) beginning() int64 { return int64(f.began) * 1000 }

// around returns a time of the file for events whose own time is not known.
func (f *fileState) around() int64 { return int64(cmp.Or(f.latest, f.began)) * 1000 }

// agent returns the agent label of a line.
func (f *fileState) agent(kind transcript.FileKind, sidechain bool) string {
	switch {
	case f.has(fileWarmup):
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
	known, again := l.files.Get(f.ID)
	attrs := fileAttrs{source: f.Source, kind: f.Kind}
	if again {
		before := l.attrsOf(&known)
		attrs.project, attrs.agentType = before.project, before.agentType
	}
	if f.AgentType != "" {
		attrs.agentType = l.bounded(l.labels.agentType, f.Source, f.AgentType, f.Opened)
	}
	name := shortHash(f.Name[:])
	renamed := known.name != name
	known.set(fileReplica, f.Replica)
	switch known.name, known.attrs = name, l.fileAttrs.ID(attrs); {
	case known.has(fileMissing): // another file may hold its slot by now
		known.set(fileMissing|fileCounted, false)
		l.agents.slots.markPresent(f.ID)
	case known.has(fileCounted) && renamed:
		l.agents.claimSlot(f.ID, &known, true)
	}
	l.files.Put(f.ID, known)
}

// MarkMissing records that a file no longer exists, until Open announces it again.
func (l *Ledger) MarkMissing(id FileID) {
	if f, ok := l.files.Get(id); ok && !f.has(fileMissing) {
		f.set(fileMissing, true)
		l.files.Put(id, f)
		l.agents.slots.markMissing(id)
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
	l.add(l.families.fileResets, 1, now, "", reason)
	f, ok := l.files.Get(id)
	if !ok {
		return
	}
	for _, k := range l.keepers {
		k.reset(id, &f)
	}
	// fileHasCopies and fileForked stay: its lines were found to be copies before the
	// reset, and other files may be read before it.
	l.files.Put(id, fileState{name: f.name, attrs: f.attrs, flags: f.flags & (fileHasProject | fileHasCopies | fileForked | fileReplica)})
}

// FinalizeFile counts the pending messages, tool results, turn, sub-agent and its run,
// and the session of a fork that has only copies, of a file that has been quiet for
// longer than a response takes. It does not count a message that another file has
// continued: that file may be a rewritten version of this one. A run that has not ended
// waits until EndSessions counts it.
func (l *Ledger) FinalizeFile(id FileID, now int64) {
	f, ok := l.files.Get(id)
	if !ok {
		return
	}
	for _, p := range l.parts {
		p.finalize(id, &f, now)
	}
	l.files.Put(id, f)
	l.set.Expose()
}

// HasPending reports whether FinalizeFile would count something, such as the session of
// a fork, or let a run wait.
func (l *Ledger) HasPending(id FileID) bool {
	f, ok := l.files.Get(id)
	if !ok {
		return false
	}
	for _, p := range l.parts {
		if p.hasPending(id, &f) {
			return true
		}
	}
	return false
}

// AllPending returns the files for which HasPending is true, in order.
func (l *Ledger) AllPending() (ids []FileID) {
	for id := range l.files.All() {
		if l.HasPending(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Forget drops, at the time now, the keys that only the given files could repeat.
func (l *Ledger) Forget(files []FileID, now int64) {
	for _, id := range files {
		l.forgetFile(id, now)
	}
	if len(files) == 0 {
		return
	}
	l.dropUnknown()
	l.keysDropped()
}

// forgetFile drops a file, but not its keys.
func (l *Ledger) forgetFile(id FileID, now int64) {
	l.finish(id, now)
	l.files.Delete(id)
}

// finish counts what is pending of a file, and drops what is kept about its end.
func (l *Ledger) finish(id FileID, now int64) {
	l.FinalizeFile(id, now)
	f, known := l.files.Get(id)
	if !known {
		return
	}
	for _, k := range l.keepers {
		k.forget(id, &f, now)
	}
	l.files.Put(id, f)
}

// keysDropped lets the parts drop what belongs to dropped keys.
func (l *Ledger) keysDropped() {
	l.findHeirs()
	for _, k := range l.keepers {
		k.keysDropped()
	}
}

func codeFile(c *table.Coder, f *fileState) {
	table.Fixed32(c, 1, &f.name)
	table.Fixed32(c, 2, &f.session)
	table.Fixed64(c, 3, &f.message)
	table.Uint(c, 4, &f.attrs)
	table.Fixed32(c, 5, &f.queueOp)
	table.Uint(c, 6, &f.queueRepeats)
	table.Uint(c, 7, &f.flags)
	table.Uint(c, 8, &f.began)
	table.Uint(c, 9, &f.latest)
	table.Uint(c, 10, &f.mode)
	codeLastRequest(c, 11, &f.request) // fields 11 to 14
}

func codeFileAttrs(c *table.Coder, a *fileAttrs) {
	table.String(c, 1, &a.project)
	table.String(c, 2, &a.source)
	table.String(c, 3, &a.kind)
	table.String(c, 4, &a.agentType)
}

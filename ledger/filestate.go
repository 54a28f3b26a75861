package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// A File is what the ledger must know of a transcript before it is read.
type File struct {
	ID   FileID
	Kind transcript.FileKind
	// Name digests what the file is called, without its directory. Sub-agents are
	// told from each other by this and by their session.
	Name   transcript.Key
	Source SourceLabels
}

// A file is what the lines of a transcript read so far mean for the next ones.
// There are many thousands that nobody writes to any more, so it is small.
type fileState struct {
	name    shortHash
	session  shortHash           // the session of the first line of dialogue that has one
	message transcript.Key // of the latest record of a message
	queueOp   shortHash           // what the latest queue operation was
	attrs   uint32         // its number in Ledger.places
	queueRepeats  uint16         // how many equal queue operations came right before that one
	flags   fileFlags
}

// fileFlags are what is true of a file.
type fileFlags uint8

const (
	fileOpen     fileFlags = 1 << iota // the message may still be being written
	fileHasCopies                        // it has a message that another file had first
	fileHasProject                         // some line named a directory
	fileDialogue                       // some line was part of a conversation
	filePrompted                       // some line was a user's, which decides between warm-up and task
	fileWarmup
	fileCounted // as a sub-agent
	fileMissing    // it does not exist any more
)

// is reports whether a flag is set.
func (f *fileState) is(flag fileFlags) bool { return f.flags&flag != 0 }

// set sets or clears flags.
func (f *fileState) set(flags fileFlags, on bool) {
	if f.flags &^= flags; on {
		f.flags |= flags
	}
}

// A place is what the lines of a file have in common.
type fileAttrs struct {
	project string // of the latest line that named a directory
	source  SourceLabels
	kind    transcript.FileKind
}

// openMessage returns the message that may still be being written, the zero Key if
// there is none.
func (f *fileState) openMessage() transcript.Key {
	if !f.is(fileOpen) {
		return transcript.Key{}
	}
	return f.message
}

// agent returns the agent label of a line of a file of some kind.
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

// Open tells of a file before its first batch, and again when it has moved.
func (l *Ledger) Open(f File) {
	l.zeroFirst.next()
	known, again := l.files[f.ID]
	at := fileAttrs{source: f.Source, kind: f.Kind}
	if again {
		at.project = l.fileAttrs.values[known.attrs].project
	}
	name := shortHash(f.Name[:])
	renamed := known.name != name
	switch known.name, known.attrs = name, l.fileAttrs.id(at); {
	case known.is(fileMissing): // another file may hold its place by now
		known.set(fileMissing|fileCounted, false)
		l.copies.markPresent(f.ID)
	case known.is(fileCounted) && renamed:
		l.claimSlot(f.ID, &known, true)
	}
	l.files[f.ID] = known
}

// Gone tells that a file is not there any more, until Open tells of it again.
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
)

// Reset tells that a file is read again from its beginning at the time now.
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
	l.files[id] = fileState{name: f.name, attrs: f.attrs, flags: f.flags & fileHasProject}
}

// Quiet tells that nothing was written to a file for as long as a response can
// take: what it left open is counted as it stands. A message that another file has
// gone on with since, such as one that was made anew in its place, is left to that.
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
	if l.uncounted(&f) {
		l.countSubagent(id, &f, now, true)
	}
	l.files[id] = f
	l.zeroFirst.markExposed()
}

// uncounted reports whether a file is a sub-agent's that is not counted yet, for
// want of a line that tells what it is there for, or since it may be one that was.
func (l *Ledger) uncounted(f *fileState) bool {
	return f.is(fileDialogue) && !f.is(fileCounted) && l.fileAttrs.values[f.attrs].kind.IsAgent()
}

// Restless reports whether Quiet would count something.
func (l *Ledger) HasPending(id FileID) bool {
	f, ok := l.files[id]
	return ok && (l.holds(f.openMessage()) || len(l.openBeforeReset[id])+len(l.orphansOf[id]) > 0 || l.uncounted(&f))
}

// Forget drops, at the time now, everything that only the given files could
// repeat.
func (l *Ledger) Forget(files []FileID, now int64) {
	for _, id := range files {
		l.FinalizeFile(id, now)
		delete(l.files, id)
		l.copies.forget(id)
	}
	if len(files) > 0 {
		l.forget()
	}
}

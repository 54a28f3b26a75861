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
type file struct {
	name    half
	parent  half           // the session of the first line of dialogue that has one
	message transcript.Key // of the latest record of a message
	queue   half           // what the latest queue operation was
	place   uint32         // its number in Ledger.places
	queued  uint16         // how many equal queue operations came right before that one
	flags   fileFlags
}

// fileFlags are what is true of a file.
type fileFlags uint8

const (
	fileOpen     fileFlags = 1 << iota // the message may still be being written
	fileRepeats                        // it has a message that another file had first
	filePlaced                         // some line named a directory
	fileDialogue                       // some line was part of a conversation
	filePrompted                       // some line was a user's, which decides between warm-up and task
	fileWarmup
	fileCounted // as a sub-agent
	fileGone    // it does not exist any more
)

// is reports whether a flag is set.
func (f *file) is(flag fileFlags) bool { return f.flags&flag != 0 }

// set sets or clears flags.
func (f *file) set(flags fileFlags, on bool) {
	if f.flags &^= flags; on {
		f.flags |= flags
	}
}

// A place is what the lines of a file have in common.
type place struct {
	project string // of the latest line that named a directory
	source  SourceLabels
	kind    transcript.FileKind
}

// openMessage returns the message that may still be being written, the zero Key if
// there is none.
func (f *file) openMessage() transcript.Key {
	if !f.is(fileOpen) {
		return transcript.Key{}
	}
	return f.message
}

// agent returns the agent label of a line of a file of some kind.
func (f *file) agent(kind transcript.FileKind, sidechain bool) string {
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
	at := place{source: f.Source, kind: f.Kind}
	if again {
		at.project = l.places.all[known.place].project
	}
	name := half(f.Name[:])
	renamed := known.name != name
	switch known.name, known.place = name, l.places.of(at); {
	case known.is(fileGone): // another file may hold its place by now
		known.set(fileGone|fileCounted, false)
		l.copies.find(f.ID)
	case known.is(fileCounted) && renamed:
		l.standFor(f.ID, &known, true)
	}
	l.files[f.ID] = known
}

// Gone tells that a file is not there any more, until Open tells of it again.
func (l *Ledger) MarkMissing(id FileID) {
	if f, ok := l.files[id]; ok && !f.is(fileGone) {
		f.set(fileGone, true)
		l.files[id] = f
		l.copies.lose(id)
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
		l.left[id] = append(l.left[id], f.message)
	}
	if f.is(fileGone) {
		l.copies.find(id)
	}
	l.files[id] = file{name: f.name, place: f.place, flags: f.flags & filePlaced}
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
	for _, key := range append(l.left[id], f.openMessage()) {
		if h := l.held.Get(digestOf(key)); h != nil && h.file == id {
			l.ready = append(l.ready, key)
		}
	}
	f.set(fileOpen, false)
	delete(l.left, id)
	l.Settle()
	l.adoptOrphans(id)
	if l.uncounted(&f) {
		l.countSubagent(id, &f, now, true)
	}
	l.files[id] = f
	l.zeroFirst.settled()
}

// uncounted reports whether a file is a sub-agent's that is not counted yet, for
// want of a line that tells what it is there for, or since it may be one that was.
func (l *Ledger) uncounted(f *file) bool {
	return f.is(fileDialogue) && !f.is(fileCounted) && l.places.all[f.place].kind.IsAgent()
}

// Restless reports whether Quiet would count something.
func (l *Ledger) HasPending(id FileID) bool {
	f, ok := l.files[id]
	return ok && (l.holds(f.openMessage()) || len(l.left[id])+len(l.waiting[id]) > 0 || l.uncounted(&f))
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

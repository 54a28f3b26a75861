package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// A File is what the ledger must know of a transcript before it is read.
type File struct {
	ID   FileID
	Kind transcript.FileKind
	// Path digests where the file is. A sub-agent's transcript is counted once
	// by this, and by its ID where it moves.
	Path   transcript.Key
	Source Source
}

// A file is what the lines of a transcript read so far mean for the next ones.
type file struct {
	File
	project string           // of the latest line that named a directory
	placed  bool             // there was such a line
	open    transcript.Key   // the message that is being written
	left    []transcript.Key // messages that were being written before a Reset
	orphans []transcript.Key // results that wait for their calls
	// dialogue: some line was a conversation's. prompted: so was a user's,
	// which tells a warm-up from a task. counted: as a sub-agent.
	dialogue, prompted, warmup, counted bool
}

// agent returns the agent label of a line of the file.
func (f *file) agent(sidechain bool) string {
	switch {
	case f.warmup:
		return "warmup"
	case f.Kind.Replays():
		return string(f.Kind)
	case f.Kind.Agent() || sidechain:
		return "subagent"
	default:
		return "main"
	}
}

// Open tells of a file before its first batch, and again when it has moved.
func (l *Ledger) Open(f File) {
	known := l.files[f.ID]
	if known == nil {
		l.files[f.ID] = &file{File: f}
		return
	}
	known.File = f
	if known.counted {
		l.seen[seenSubagent][f.Path] = f.ID
	}
}

// The reasons for reading a file again from its beginning.
const (
	Truncated = "truncated"
	Replaced  = "replaced"
)

// Reset tells that a file is read again from its beginning at the time now.
func (l *Ledger) Reset(id FileID, reason string, now int64) {
	l.add(fileResets, 1, now, "", reason)
	if f := l.files[id]; f != nil {
		left := f.left
		if l.held[f.open] != nil {
			left = append(left, f.open)
		}
		*f = file{File: f.File, placed: f.placed, project: f.project, left: left, orphans: f.orphans, counted: f.counted}
	}
}

// Quiet tells that nothing was written to a file for as long as a response can
// take: what it left open is counted as it stands.
func (l *Ledger) Quiet(id FileID, now int64) {
	f := l.files[id]
	if f == nil {
		return
	}
	l.overtake(f)
	l.ready = append(l.ready, f.left...)
	f.left = nil
	l.Settle()
	l.adoptOrphans(f)
	if f.Kind.Agent() && f.dialogue {
		l.countSubagent(f, now)
	}
}

// Restless reports whether Quiet would count something.
func (l *Ledger) Restless(id FileID) bool {
	f := l.files[id]
	return f != nil && (l.held[f.open] != nil || len(f.left)+len(f.orphans) > 0 || f.Kind.Agent() && f.dialogue && !f.counted)
}

// Forget drops, at the time now, everything that only the given files could
// repeat.
func (l *Ledger) Forget(files []FileID, now int64) {
	for _, id := range files {
		l.Quiet(id, now)
		delete(l.files, id)
	}
	if len(files) > 0 {
		l.forget()
	}
}

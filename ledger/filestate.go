package ledger

import (
	"cmp"

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

package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A SessionDetail is the content of the transcripts of a session, read again.
type SessionDetail struct {
	// History is when the counters of the transcripts grew. Its label project is not the
	// project: it is MainPart for the main conversation, the name of a sub-agent, or
	// OtherPart for events that count for other sessions.
	History counters.History
	// Requests are the requests of the session, by time. Their Project is their part.
	Requests []CountedRequest
	// Compactions are the compactions of the main conversation, and Results the results
	// of its tools, both by time.
	Compactions []SessionCompaction
	Results     []SessionResult
	// Agents are the sub-agents, in the order of their beginning.
	Agents []SessionAgent
	// Failed is the number of transcripts that could not be read.
	Failed int
}

// The parts of a SessionDetail that are no sub-agents.
const (
	MainPart  = "main"
	OtherPart = "other"
)

// A SessionAgent is a sub-agent of a session.
type SessionAgent struct {
	Name        string // of its transcript
	Type        string // the label of its type or kind; empty if it is not known
	First, Last int64  // times of its lines in milliseconds since the epoch; 0 if none states one
}

// A SessionCompaction is a compaction of a session's context.
type SessionCompaction struct {
	When          int64  // in milliseconds since the epoch
	Trigger       string // auto, manual or another one
	Before, After uint64 // tokens; 0 if not stated
}

// A SessionResult is the result of a tool, which adds to the context.
type SessionResult struct {
	When  int64 // in milliseconds since the epoch
	Tool  string
	Bytes uint64
}

// Parts returns the parts of the history that count for the session.
func (d *SessionDetail) Parts() []string {
	parts := []string{MainPart}
	for _, a := range d.Agents {
		parts = append(parts, a.Name)
	}
	return parts
}

// A SessionFiles are the transcripts that may have lines of a session or of its copies:
// the present files of its groups, see fileGroups. It has two if the file that named it
// first has no usage.
type SessionFiles struct {
	Source SourceLabels // of the session
	named  map[sourceName]bool
}

// A sourceName is the name of a file in a source.
type sourceName struct {
	source SourceLabels
	name   shortHash
}

// Has reports whether a file in a source has the key of the name of a transcript.
func (f *SessionFiles) Has(source SourceLabels, name transcript.Key) bool {
	return f.named[sourceName{source, shortHash(name[:])}]
}

// TranscriptsOf returns the transcripts of a session, nil if the session is not known.
// Without labels of its source, it is the session of the first source with this id.
func (l *Ledger) TranscriptsOf(session SessionID) *SessionFiles {
	_, t, known := l.sessions.wanted(session)
	if !known {
		return nil
	}
	files := &SessionFiles{l.sourceOf(t.file), make(map[sourceName]bool)}
	named, used := l.groups.root(t.file), l.groups.root(t.file)
	if _, u, known := l.messages.reported.usage.find(session.hash(), files.Source); known {
		used = l.groups.root(u.file)
	}
	for id, f := range l.files.All() {
		if root := l.groups.root(id); !f.has(fileMissing) && (root == named || root == used) {
			files.named[sourceName{l.attrsOf(&f).source, f.name}] = true
		}
	}
	return files
}

// AgentType returns the type in the description of a sub-agent's transcript, empty
// without a description.
func (l *Ledger) AgentType(id FileID) string {
	f, ok := l.files.Get(id)
	if !ok {
		return ""
	}
	return l.attrsOf(&f).agentType
}

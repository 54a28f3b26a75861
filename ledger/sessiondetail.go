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

// Parts returns the parts of the history that count for the session.
func (d *SessionDetail) Parts() []string {
	parts := []string{MainPart}
	for _, a := range d.Agents {
		parts = append(parts, a.Name)
	}
	return parts
}

// TranscriptsOf returns whether files with the key of a name may have lines of a
// session or of its copies: the present files of its group, see fileGroups. ok is false
// if the session is not known.
func (l *Ledger) TranscriptsOf(session string) (has func(name transcript.Key) bool, ok bool) {
	t, ok := l.sessions.totals.Get(hashOf(transcript.KeyOf("session", session)))
	if !ok {
		return nil, false
	}
	root, names := l.groups.root(t.file), make(map[shortHash]bool)
	for id, f := range l.files.All() {
		if !f.has(fileMissing) && l.groups.root(id) == root {
			names[f.name] = true
		}
	}
	return func(name transcript.Key) bool { return names[shortHash(name[:])] }, true
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

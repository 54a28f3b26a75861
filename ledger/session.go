package ledger

import (
	"cmp"
	"slices"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A liveSession is a session that may still be going on.
type liveSession struct {
	last    int64 // time of its newest line
	project string
	source  Source
	model   string
	context uint64 // tokens that its last request sent; 0 before the first
}

// session counts the session and the sub-agent that a line belongs to, and
// notes that both are alive.
func (l *Ledger) session(at *line, e *transcript.Entry) {
	if e.Time != 0 {
		l.raise(lastActivity, uint64(max(0, at.when)), at.when, at.source, at.project)
		l.alive(at, e)
	}
	if !e.Conversation() {
		return
	}
	f := at.file
	f.dialogue = true
	if f.parent == (half{}) {
		f.parent = half(e.Session[:])
	}
	if !at.side && !e.Session.IsZero() && l.first(seenSession, e.Session, at.id) {
		l.add(sessions, 1, at.when, at.source, at.project)
		for _, trigger := range []string{"auto", "manual"} {
			l.add(compactions, 0, at.when, at.source, l.bounded(triggerLabel, trigger, at.when), at.project, "main")
		}
	}
	if e.Type == "user" && !f.prompted && at.kind.Agent() {
		f.prompted, f.warmup = true, e.Warmup
		l.countSubagent(at.id, f, at.when, false)
	}
}

// alive notes a line of a session, if the session can still be live.
func (l *Ledger) alive(at *line, e *transcript.Entry) {
	if e.Session.IsZero() || at.now-at.when > l.opts.ActiveFor {
		return
	}
	key := digestOf(e.Session)
	s := l.live[key]
	if s == nil {
		s = &liveSession{}
		l.live[key] = s
	}
	if e.SessionID != "" && l.names[key] == "" {
		l.names[key] = transcript.Clean(e.SessionID) // which a line can make as long as it likes
	}
	if at.when >= s.last {
		s.last, s.project, s.source = at.when, at.project, at.source
	}
}

// context notes how large the context of the main conversation's last request
// was.
func (l *Ledger) context(at *line, m *transcript.Message) {
	s := l.live[digestOf(at.session)]
	size := m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite5m + m.Usage.CacheWrite1h
	if s == nil || at.side || size == 0 {
		return
	}
	s.model, s.context = m.Model, size
}

// Name tells a session's id as it is shown. The ledger does not save it, since
// what is saved holds no ids: after a restart the name of a live session comes
// from its file's name or its next line.
func (l *Ledger) Name(sessionID string) {
	if key := digestOf(transcript.KeyOf("session", sessionID)); l.live[key] != nil {
		l.names[key] = transcript.Clean(sessionID)
	}
}

// prune lets go of sessions that are not live at the time now.
func (l *Ledger) prune(now int64) {
	for key, s := range l.live {
		if now-s.last > l.opts.ActiveFor {
			delete(l.live, key)
		}
	}
	for key := range l.names {
		if l.live[key] == nil {
			delete(l.names, key)
		}
	}
}

// A Session is one that was live when it was asked for.
type Session struct {
	ID      string // fit for a label; empty when it is not known
	Project string
	Source  Source
	Model   string
	Context uint64
	Last    int64
}

// liveSessions appends to all, which is empty, the sessions with a line not
// long before the time now, the newest first.
func (l *Ledger) liveSessions(all []Session, now int64) []Session {
	for key, s := range l.live {
		if now-s.last <= l.opts.ActiveFor {
			all = append(all, Session{l.names[key], s.project, s.source, l.glimpse(modelLabel, s.model), s.context, s.last})
		}
	}
	slices.SortFunc(all, func(a, b Session) int {
		return cmp.Or(cmp.Compare(b.Last, a.Last), cmp.Compare(a.ID, b.ID))
	})
	return all
}
